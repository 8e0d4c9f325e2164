// Copies as one writes them with libcu++: cuda::memcpy_async with a cuda::pipeline of each thread's own, with one of
// the whole block, and with a cuda::barrier.
#include "device.cuh"
#include "variants.hpp"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

// Barriers in shared memory are made by their first user: nvcc warns of their constructors nevertheless.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace {

using Word = cuda::aligned_size_t<16>;

template <int THREADS, int EACH>
__device__ __forceinline__ void store(const uint4* tile, uint4* out) {
    uint4 held[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        held[e] = tile[e * THREADS + threadIdx.x];
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        out[e * THREADS + threadIdx.x] = held[e];
    }
}

template <int THREADS, int TILE>
__device__ __forceinline__ void rest(const uint4* in, uint4* out, u64 n) {
    if (blockIdx.x == gridDim.x - 1) {
#pragma unroll 1
        for (u64 i = n / TILE * TILE + threadIdx.x; i < n; i += THREADS) {
            out[i] = in[i];
        }
    }
}

template <int THREADS, int EACH, int STAGES>
__device__ __forceinline__ void by_thread(const uint4* in, uint4* out, u64 n) {
    constexpr int TILE = THREADS * EACH;
    extern __shared__ __align__(128) uint4 ring[];
    auto pipe = cuda::make_pipeline();
    u64 tiles = n / TILE;
    auto load = [&](u64 tile, int stage) {
        pipe.producer_acquire();
        if (tile < tiles) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                cuda::memcpy_async(ring + stage * TILE + e * THREADS + threadIdx.x,
                                   in + tile * TILE + e * THREADS + threadIdx.x, Word(16), pipe);
            }
        }
        pipe.producer_commit();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        load(blockIdx.x + static_cast<u64>(s) * gridDim.x, s);
    }
    int stage = 0;
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        cuda::pipeline_consumer_wait_prior<STAGES - 2>(pipe);
        store<THREADS, EACH>(ring + stage * TILE, out + tile * TILE);
        pipe.consumer_release();
        load(tile + static_cast<u64>(STAGES - 1) * gridDim.x, stage == 0 ? STAGES - 1 : stage - 1);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
    rest<THREADS, TILE>(in, out, n);
}

template <int THREADS, int EACH, int STAGES>
__device__ __forceinline__ void by_block(const uint4* in, uint4* out, u64 n) {
    constexpr int TILE = THREADS * EACH;
    extern __shared__ __align__(128) uint4 ring[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    u64 tiles = n / TILE;
    u64 loading = blockIdx.x;
    int filled = 0;
    auto load = [&] {
        if (loading < tiles) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, ring + filled * TILE, in + loading * TILE, Word(TILE * 16), pipe);
            pipe.producer_commit();
            filled = filled == STAGES - 1 ? 0 : filled + 1;
            loading += gridDim.x;
        }
    };
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        load();
    }
    int stage = 0;
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        pipe.consumer_wait();
        store<THREADS, EACH>(ring + stage * TILE, out + tile * TILE);
        pipe.consumer_release();
        load();
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
    rest<THREADS, TILE>(in, out, n);
}

template <int THREADS, int EACH, int STAGES>
__device__ __forceinline__ void by_barrier(const uint4* in, uint4* out, u64 n) {
    static_assert(STAGES == 1, "one tile for a block");
    constexpr int TILE = THREADS * EACH;
    extern __shared__ __align__(128) uint4 tile[];
    __shared__ cuda::barrier<cuda::thread_scope_block> loaded;
    auto block = cooperative_groups::this_thread_block();
    u64 at = static_cast<u64>(blockIdx.x) * TILE;
    if (at + TILE <= n) {
        if (threadIdx.x == 0) {
            init(&loaded, THREADS);
        }
        block.sync();
        cuda::memcpy_async(block, tile, in + at, Word(TILE * 16), loaded);
        loaded.arrive_and_wait();
        store<THREADS, EACH>(tile, out + at);
    }
    rest<THREADS, TILE>(in, out, n);
}

} // namespace

#define KERNEL(NAME, WAY, THREADS, EACH, STAGES, BLOCKS)                             \
    extern "C" __global__ void __launch_bounds__(THREADS)                            \
            NAME(const uint4* __restrict__ in, uint4* __restrict__ out, u64 bytes) { \
        by_##WAY<THREADS, EACH, STAGES>(in, out, bytes / 16);                        \
    }
LIBCU_VARIANTS(KERNEL)
