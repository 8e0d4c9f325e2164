// Copies by 1-D bulk copies both ways: one thread of a block starts them, the engine does the rest.
#include "device.cuh"
#include "variants.hpp"

namespace {

template <int TILE>
__device__ __forceinline__ u32 bytes_of(u64 tile, u64 bytes) {
    u64 left = bytes - tile * TILE;
    return left < TILE ? static_cast<u32>(left) : TILE;
}

template <int TILE, bool HINT>
__device__ __forceinline__ void one_shot(const char* in, char* out, u64 bytes) {
    extern __shared__ __align__(128) char tile[];
    __shared__ u64 loaded;
    if (threadIdx.x != 0) {
        return;
    }
    u64 policy = HINT ? evict_first() : 0;
    u32 size = bytes_of<TILE>(blockIdx.x, bytes);
    u64 at = static_cast<u64>(blockIdx.x) * TILE;
    barrier_init(&loaded, 1);
    barriers_are_made();
    barrier_expect(&loaded, size);
    bulk_load<HINT>(tile, in + at, size, &loaded, policy);
    barrier_wait(&loaded, 0);
    bulk_store<HINT>(out + at, tile, size, policy);
    bulk_commit();
    bulk_wait_read<0>();
}

template <int TILE, int STAGES, int BLOCKS>
__device__ __forceinline__ void pipeline(const char* in, char* out, u64 bytes) {
    extern __shared__ __align__(128) char ring[];
    __shared__ u64 loaded[STAGES];
    if (threadIdx.x != 0) {
        return;
    }
    Walk<BLOCKS> walk((bytes + TILE - 1) / TILE);
    auto load = [&](u64 tile, int stage) {
        if (tile < walk.end) {
            u32 size = bytes_of<TILE>(tile, bytes);
            barrier_expect(&loaded[stage], size);
            bulk_load(ring + stage * TILE, in + tile * TILE, size, &loaded[stage]);
        }
    };
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        barrier_init(&loaded[s], 1);
    }
    barriers_are_made();
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        load(walk.first + s * walk.step, s);
    }
    int stage = 0;
    u32 parity = 0;
    for (u64 tile = walk.first; tile < walk.end; tile += walk.step) {
        barrier_wait(&loaded[stage], parity);
        bulk_store(out + tile * TILE, ring + stage * TILE, bytes_of<TILE>(tile, bytes));
        bulk_commit();
        if (tile + (STAGES - 1) * walk.step < walk.end) {
            // The store before this one has read its stage: that is filled anew.
            bulk_wait_read<1>();
            load(tile + (STAGES - 1) * walk.step, stage == 0 ? STAGES - 1 : stage - 1);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    bulk_wait_read<0>();
}

} // namespace

#define ONE_SHOT(NAME, KIB, HINT, RESIDENT)                                                       \
    extern "C" __global__ void __launch_bounds__(32) NAME(const char* in, char* out, u64 bytes) { \
        one_shot<KIB * 1024, HINT>(in, out, bytes);                                               \
    }
#define PIPELINE(NAME, KIB, STAGES, BLOCKS)                                                       \
    extern "C" __global__ void __launch_bounds__(32) NAME(const char* in, char* out, u64 bytes) { \
        pipeline<KIB * 1024, STAGES, BLOCKS>(in, out, bytes);                                     \
    }
BULK_VARIANTS(ONE_SHOT)
BULK_PIPELINE_VARIANTS(PIPELINE)
