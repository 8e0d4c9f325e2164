// One array to several, which lie one behind another.
#include "device.cuh"
#include "variants.hpp"

namespace {

constexpr int THREADS = 256;

template <int COPIES, int EACH>
__device__ __forceinline__ void copy(const uint4* in, uint4* out, u64 bytes) {
    u64 n = bytes / 16;
    u64 at = static_cast<u64>(blockIdx.x) * THREADS * EACH + threadIdx.x;
    uint4 held[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (at + e * THREADS < n) {
            held[e] = in[at + e * THREADS];
        }
    }
#pragma unroll
    for (int c = 0; c < COPIES; c++) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            if (at + e * THREADS < n) {
                out[c * n + at + e * THREADS] = held[e];
            }
        }
    }
}

} // namespace

#define KERNEL(NAME, COPIES, EACH)                                                                       \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const uint4* in, uint4* out, u64 bytes) { \
        copy<COPIES, EACH>(in, out, bytes);                                                              \
    }
BROADCAST_VARIANTS(KERNEL)
