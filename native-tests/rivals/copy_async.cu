// Copies by cp.async, tile by tile or in a ring of stages. Each thread waits for and reads only what it has loaded
// itself, so that no barrier is needed.
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

template <int THREADS, int EACH, int BYTES, int STAGES, int BLOCKS, bool HINT>
__device__ __forceinline__ void copy(const typename WordOf<BYTES>::Type* in, typename WordOf<BYTES>::Type* out, u64 n) {
    using Word = typename WordOf<BYTES>::Type;
    constexpr int TILE = THREADS * EACH;
    // A warp's words of 4 bytes lie together, so that it asks for whole stretches of memory.
    constexpr int STEP = BYTES == 4 ? 32 : THREADS;
    int own = BYTES == 4 ? threadIdx.x / 32 * 32 * EACH + threadIdx.x % 32 : threadIdx.x;
    extern __shared__ __align__(128) unsigned char shared[];
    Word* ring = reinterpret_cast<Word*>(shared) + own;
    u64 policy = HINT ? evict_first() : 0;
    u64 tiles = n / TILE;
    Walk<BLOCKS> walk(tiles);
    auto load = [&](u64 tile, int stage) {
        if (tile < walk.end) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                async_load<BYTES, HINT>(ring + stage * TILE + e * STEP, in + tile * TILE + own + e * STEP, policy);
            }
        }
        async_commit();
    };
    auto put = [&](u64 tile, int stage) {
        Word held[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            held[e] = ring[stage * TILE + e * STEP];
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            store<HINT>(out + tile * TILE + own + e * STEP, held[e], policy);
        }
    };
    if constexpr (STAGES == 1) {
        if (walk.first < tiles) {
            load(walk.first, 0);
            async_wait<0>();
            put(walk.first, 0);
        }
    } else {
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            load(walk.first + s * walk.step, s);
        }
        int stage = 0;
        for (u64 tile = walk.first; tile < walk.end; tile += walk.step) {
            async_wait<STAGES - 2>();
            load(tile + (STAGES - 1) * walk.step, stage == 0 ? STAGES - 1 : stage - 1);
            put(tile, stage);
            stage = stage == STAGES - 1 ? 0 : stage + 1;
        }
    }
    if (blockIdx.x == gridDim.x - 1) {
        // Not unrolled: what it took of registers would be paid for in resident blocks.
#pragma unroll 1
        for (u64 i = tiles * TILE + threadIdx.x; i < n; i += THREADS) {
            out[i] = in[i];
        }
    }
}

} // namespace

#define KERNEL(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS, HINT)                       \
    extern "C" __global__ void __launch_bounds__(THREADS)                              \
            NAME(const WordOf<BYTES>::Type* in, WordOf<BYTES>::Type* out, u64 bytes) { \
        copy<THREADS, EACH, BYTES, STAGES, BLOCKS, HINT>(in, out, bytes / BYTES);      \
    }
#define PIPELINE(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS) KERNEL(NAME, THREADS, EACH, BYTES, STAGES, BLOCKS, false)
#define ONE_SHOT(NAME, THREADS, EACH, BYTES, HINT, RESIDENT) KERNEL(NAME, THREADS, EACH, BYTES, 1, 0, HINT)
ASYNC_VARIANTS(ONE_SHOT)
ASYNC_4_VARIANTS(ONE_SHOT)
ASYNC_PIPELINE_VARIANTS(PIPELINE)
ASYNC_4_PIPELINE_VARIANTS(PIPELINE)
