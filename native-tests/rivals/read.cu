// Reads only: the sum of all 32-bit words, modulo 2^32, by registers, cp.async and bulk loads.
#include "device.cuh"
#include "variants.hpp"

namespace {

__device__ __forceinline__ u32 sum_of(uint4 v) {
    return v.x + v.y + v.z + v.w;
}

// Adds what each thread has to the total, a warp at once.
__device__ __forceinline__ void add(u32 own, u32* total) {
    own = __reduce_add_sync(0xFFFFFFFFu, own);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, own);
    }
}

template <int THREADS, int EACH>
__device__ __forceinline__ void by_registers(const uint4* in, u32* total, u64 n) {
    constexpr u64 TILE = THREADS * EACH;
    u32 own = 0;
    u64 at = blockIdx.x * TILE + threadIdx.x;
    for (; at - threadIdx.x + TILE <= n; at += gridDim.x * TILE) {
        uint4 held[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            held[e] = __ldcs(in + at + e * THREADS);
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            own += sum_of(held[e]);
        }
    }
    for (u64 end = at - threadIdx.x + TILE; at < n && at < end; at += THREADS) {
        own += sum_of(in[at]);
    }
    add(own, total);
}

template <int THREADS, int EACH, int STAGES>
__device__ __forceinline__ void by_async(const uint4* in, u32* total, u64 n) {
    constexpr int TILE = THREADS * EACH;
    extern __shared__ __align__(128) char shared[];
    uint4* ring = reinterpret_cast<uint4*>(shared);
    u64 tiles = n / TILE;
    u32 own = 0;
    auto load = [&](u64 tile, int stage) {
        if (tile < tiles) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                async_load<16>(ring + stage * TILE + e * THREADS + threadIdx.x,
                               in + tile * TILE + e * THREADS + threadIdx.x);
            }
        }
        async_commit();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        load(blockIdx.x + static_cast<u64>(s) * gridDim.x, s);
    }
    int stage = 0;
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        async_wait<STAGES - 2>();
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            own += sum_of(ring[stage * TILE + e * THREADS + threadIdx.x]);
        }
        load(tile + static_cast<u64>(STAGES - 1) * gridDim.x, stage == 0 ? STAGES - 1 : stage - 1);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
    if (blockIdx.x == gridDim.x - 1) {
#pragma unroll 1
        for (u64 i = tiles * TILE + threadIdx.x; i < n; i += THREADS) {
            own += sum_of(in[i]);
        }
    }
    add(own, total);
}

} // namespace

#define REGISTERS(NAME, THREADS, EACH, BLOCKS)                                                           \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const uint4* in, u32* total, u64 bytes) { \
        by_registers<THREADS, EACH>(in, total, bytes / 16);                                              \
    }
READ_VECTOR_VARIANTS(REGISTERS)

#define ASYNC(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS)                                                \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const uint4* in, u32* total, u64 bytes) { \
        by_async<THREADS, EACH, STAGES>(in, total, bytes / 16);                                          \
    }
READ_ASYNC_VARIANTS(ASYNC)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

namespace {

template <int THREADS, int TILE, int STAGES>
__device__ __forceinline__ void by_bulk(const char* in, u32* total, u64 bytes) {
    extern __shared__ __align__(128) char shared[];
    __shared__ u64 loaded[STAGES];
    __shared__ u64 read[STAGES];
    u64 tiles = (bytes + TILE - 1) / TILE;
    auto size_of = [&](u64 tile) { return static_cast<u32>(tile + 1 < tiles ? TILE : bytes - tile * TILE); };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&loaded[s], 1);
            barrier_init(&read[s], THREADS / 32);
        }
        barriers_are_made();
    }
    __syncthreads();
    int stage = 0;
    u32 parity = 0;
    auto next = [&] {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    };
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                barrier_wait(&read[stage], parity ^ 1);
                barrier_expect(&loaded[stage], size_of(tile));
                bulk_load(shared + stage * TILE, in + tile * TILE, size_of(tile), &loaded[stage]);
                next();
            }
        }
        return;
    }
    u32 own = 0;
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const uint4* words = reinterpret_cast<const uint4*>(shared + stage * TILE);
        u32 size = size_of(tile);
        barrier_wait(&loaded[stage], parity);
        if (size == TILE) {
#pragma unroll 8
            for (u32 i = threadIdx.x - 32; i < TILE / 16; i += THREADS) {
                own += sum_of(words[i]);
            }
        } else {
#pragma unroll 1
            for (u32 i = threadIdx.x - 32; i < size / 16; i += THREADS) {
                own += sum_of(words[i]);
            }
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            barrier_arrive(&read[stage]);
        }
        next();
    }
    add(own, total);
}

} // namespace

#define BULK(NAME, THREADS, KIB, STAGES, BLOCKS)                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS + 32) NAME(const char* in, u32* total, u64 bytes) { \
        by_bulk<THREADS, KIB * 1024, STAGES>(in, total, bytes);                                              \
    }
READ_BULK_VARIANTS(BULK)

#endif
