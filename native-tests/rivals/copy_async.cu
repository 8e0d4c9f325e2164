// Copies by cp.async, tile by tile or in a ring of stages. Each thread waits for and reads only what it has loaded itself,
// so that no barrier is needed.
#include "device.cuh"
#include "variants.hpp"

namespace {

template <int BYTES>
struct WordOf {
    using Type = uint4;
};
template <>
struct WordOf<4> {
    using Type = u32;
};

template <int THREADS, int EACH, int BYTES, int STAGES>
__device__ __forceinline__ void copy(const typename WordOf<BYTES>::Type* __restrict__ in,
                                     typename WordOf<BYTES>::Type* __restrict__ out, u64 n) {
    using Word = typename WordOf<BYTES>::Type;
    constexpr int TILE = THREADS * EACH;
    extern __shared__ __align__(128) unsigned char shared[];
    Word* ring = reinterpret_cast<Word*>(shared) + threadIdx.x;
    in += threadIdx.x;
    out += threadIdx.x;
    u64 tiles = n / TILE;
    auto load = [&](u64 tile, int stage) {
        if (tile < tiles) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                async_load<BYTES>(ring + stage * TILE + e * THREADS, in + tile * TILE + e * THREADS);
            }
        }
        async_commit();
    };
    auto store = [&](u64 tile, int stage) {
        Word held[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            held[e] = ring[stage * TILE + e * THREADS];
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            out[tile * TILE + e * THREADS] = held[e];
        }
    };
    if constexpr (STAGES == 1) {
        u64 tile = blockIdx.x;
        if (tile < tiles) {
            load(tile, 0);
            async_wait<0>();
            store(tile, 0);
        }
    } else {
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            load(blockIdx.x + static_cast<u64>(s) * gridDim.x, s);
        }
        int stage = 0;
        for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            async_wait<STAGES - 2>();
            store(tile, stage);
            load(tile + static_cast<u64>(STAGES - 1) * gridDim.x, stage == 0 ? STAGES - 1 : stage - 1);
            stage = stage == STAGES - 1 ? 0 : stage + 1;
        }
    }
    if (blockIdx.x == gridDim.x - 1) {
        for (u64 i = tiles * TILE; i + threadIdx.x < n; i += THREADS) {
            out[i] = in[i];
        }
    }
}

}  // namespace

#define PIPELINE(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS)                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                       \
            NAME(const WordOf<BYTES>::Type* __restrict__ in, WordOf<BYTES>::Type* __restrict__ out, u64 bytes) { \
        copy<THREADS, EACH, BYTES, STAGES>(in, out, bytes / BYTES);                                             \
    }
#define ONE_SHOT(NAME, THREADS, EACH, BYTES) PIPELINE(NAME, THREADS, EACH, BYTES, 1, 0)
ASYNC_VARIANTS(ONE_SHOT)
ASYNC_4_VARIANTS(ONE_SHOT)
ASYNC_PIPELINE_VARIANTS(PIPELINE)
ASYNC_4_PIPELINE_VARIANTS(PIPELINE)
