// out += in in 32-bit whole numbers: by loads and stores, by red, and by bulk copies that add.
#include "device.cuh"
#include "variants.hpp"

namespace {

template <int THREADS, int EACH>
__device__ __forceinline__ void by_vector(const uint4* in, uint4* out, u64 bytes) {
    u64 n = bytes / 16;
    u64 at = static_cast<u64>(blockIdx.x) * THREADS * EACH + threadIdx.x;
    uint4 added[EACH];
    uint4 held[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (at + e * THREADS < n) {
            added[e] = in[at + e * THREADS];
            held[e] = out[at + e * THREADS];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (at + e * THREADS < n) {
            out[at + e * THREADS] = make_uint4(held[e].x + added[e].x, held[e].y + added[e].y, held[e].z + added[e].z,
                                               held[e].w + added[e].w);
        }
    }
}

template <int THREADS, int EACH>
__device__ __forceinline__ void by_red(const u32* in, u32* out, u64 bytes) {
    u64 n = bytes / 4;
    u64 at = static_cast<u64>(blockIdx.x) * THREADS * EACH * 4 + threadIdx.x;
    u32 added[EACH * 4];
#pragma unroll
    for (int e = 0; e < EACH * 4; e++) {
        if (at + e * THREADS < n) {
            added[e] = in[at + e * THREADS];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH * 4; e++) {
        if (at + e * THREADS < n) {
            asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(out + at + e * THREADS), "r"(added[e])
                         : "memory");
        }
    }
}

struct vector {
    using Word = uint4;
};
struct red {
    using Word = u32;
};

} // namespace

#define KERNEL(NAME, WAY, THREADS, EACH)                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const WAY::Word* in, WAY::Word* out, u64 bytes) { \
        by_##WAY<THREADS, EACH>(in, out, bytes);                                                                 \
    }
ACCUMULATE_VARIANTS(KERNEL)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

namespace {

template <int KIB>
__device__ __forceinline__ void by_bulk(const char* in, char* out, u64 bytes) {
    constexpr u32 TILE = KIB * 1024;
    extern __shared__ __align__(128) char tile[];
    __shared__ u64 loaded;
    if (threadIdx.x != 0) {
        return;
    }
    u64 at = static_cast<u64>(blockIdx.x) * TILE;
    u32 size = bytes - at < TILE ? static_cast<u32>(bytes - at) : TILE;
    barrier_init(&loaded, 1);
    barriers_are_made();
    barrier_expect(&loaded, size);
    bulk_load(tile, in + at, size, &loaded);
    barrier_wait(&loaded, 0);
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(out + at),
                 "r"(shared_address(tile)), "r"(size)
                 : "memory");
    bulk_commit();
    bulk_wait_read<0>();
}

} // namespace

#define BULK(NAME, KIB, RESIDENT)                                                                 \
    extern "C" __global__ void __launch_bounds__(32) NAME(const char* in, char* out, u64 bytes) { \
        by_bulk<KIB>(in, out, bytes);                                                             \
    }
ACCUMULATE_BULK_VARIANTS(BULK)

#endif
