// Copies by loads of 16 bytes into registers and stores.
#include "device.cuh"
#include "variants.hpp"

namespace {

template <bool HINT>
__device__ __forceinline__ uint4 load(const uint4* from) {
    uint4 v;
    if constexpr (HINT) {
        asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from)
                     : "memory");
    } else {
        v = *from;
    }
    return v;
}

template <bool HINT>
__device__ __forceinline__ void put(uint4* to, uint4 value) {
    if (HINT) {
        __stcs(to, value);
    } else {
        *to = value;
    }
}

template <int THREADS, int EACH, bool HINT>
__device__ __forceinline__ void tile(const uint4* in, uint4* out, u64 n, u64 at) {
    if (at + THREADS * EACH <= n) {
        uint4 held[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            held[e] = load<HINT>(in + at + e * THREADS + threadIdx.x);
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            put<HINT>(out + at + e * THREADS + threadIdx.x, held[e]);
        }
    } else {
        // Not unrolled: what it took of registers would be paid for in resident blocks.
#pragma unroll 1
        for (u64 i = at + threadIdx.x; i < n; i += THREADS) {
            out[i] = in[i];
        }
    }
}

template <int THREADS, int EACH, bool HINT, bool ON_AND_ON>
__device__ __forceinline__ void copy(const uint4* in, uint4* out, u64 n) {
    constexpr u64 TILE = THREADS * EACH;
    if constexpr (ON_AND_ON) {
        for (u64 at = blockIdx.x * TILE; at < n; at += gridDim.x * TILE) {
            tile<THREADS, EACH, HINT>(in, out, n, at);
        }
    } else {
        tile<THREADS, EACH, HINT>(in, out, n, blockIdx.x * TILE);
    }
}

} // namespace

#define KERNEL(NAME, THREADS, EACH, HINT, BLOCKS)                                                        \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const uint4* in, uint4* out, u64 bytes) { \
        copy<THREADS, EACH, HINT, BLOCKS != 0>(in, out, bytes / 16);                                     \
    }
VECTOR_VARIANTS(KERNEL)
