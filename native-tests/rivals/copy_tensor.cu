// Copies by tensor maps both ways: one thread of a block starts them.
#include "boxes.hpp"
#include "device.cuh"
#include "variants.hpp"

#include <cuda.h>

namespace {

template <int RANK>
__device__ __forceinline__ void place(u32 box, const Boxes& boxes, const int (&sides)[5], int (&at)[5]) {
#pragma unroll
    for (int d = 0; d < RANK; d++) {
        u32 next = d == RANK - 1 ? 0 : box / boxes.counts[d];
        u32 own = d == RANK - 1 ? box : box - next * boxes.counts[d];
        at[d] = own * sides[d];
        box = next;
    }
}

template <int RANK, int... SIDES>
__device__ __forceinline__ void one_shot(const CUtensorMap& in, const CUtensorMap& out, const Boxes& boxes) {
    constexpr int BYTES = (4 * ... * SIDES);
    constexpr int sides[5] = {SIDES...};
    extern __shared__ __align__(128) char tile[];
    __shared__ u64 loaded;
    if (threadIdx.x != 0) {
        return;
    }
    int at[5];
    place<RANK>(blockIdx.x, boxes, sides, at);
    barrier_init(&loaded, 1);
    barriers_are_made();
    barrier_expect(&loaded, BYTES);
    tensor_load<RANK>(tile, &in, at, &loaded);
    barrier_wait(&loaded, 0);
    tensor_store<RANK>(&out, at, tile);
    bulk_commit();
    bulk_wait_read<0>();
}

template <int RANK, int STAGES, int BLOCKS, int... SIDES>
__device__ __forceinline__ void pipeline(const CUtensorMap& in, const CUtensorMap& out, const Boxes& boxes) {
    constexpr int BYTES = (4 * ... * SIDES);
    constexpr int sides[5] = {SIDES...};
    extern __shared__ __align__(128) char ring[];
    __shared__ u64 loaded[STAGES];
    if (threadIdx.x != 0) {
        return;
    }
    Walk<BLOCKS> walk(boxes.total);
    int at[5];
    auto load = [&](u64 box, int stage) {
        place<RANK>(static_cast<u32>(box), boxes, sides, at);
        barrier_expect(&loaded[stage], BYTES);
        tensor_load<RANK>(ring + stage * BYTES, &in, at, &loaded[stage]);
    };
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        barrier_init(&loaded[s], 1);
    }
    barriers_are_made();
    for (int s = 0; s < STAGES - 1 && walk.first + s * walk.step < walk.end; s++) {
        load(walk.first + s * walk.step, s);
    }
    int stage = 0;
    u32 parity = 0;
    for (u64 box = walk.first; box < walk.end; box += walk.step) {
        barrier_wait(&loaded[stage], parity);
        place<RANK>(static_cast<u32>(box), boxes, sides, at);
        tensor_store<RANK>(&out, at, ring + stage * BYTES);
        bulk_commit();
        if (box + (STAGES - 1) * walk.step < walk.end) {
            bulk_wait_read<1>();
            load(box + (STAGES - 1) * walk.step, stage == 0 ? STAGES - 1 : stage - 1);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    bulk_wait_read<0>();
}

} // namespace

#define ONE_SHOT(NAME, RANK, S0, S1, S2, S3, S4, RESIDENT)                                                       \
    extern "C" __global__ void __launch_bounds__(32)                                                             \
            NAME(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, Boxes boxes) { \
        one_shot<RANK, S0, S1, S2, S3, S4>(in, out, boxes);                                                      \
    }
#define PIPELINE(NAME, RANK, S0, S1, S2, S3, S4, STAGES, BLOCKS)                                                 \
    extern "C" __global__ void __launch_bounds__(32)                                                             \
            NAME(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, Boxes boxes) { \
        pipeline<RANK, STAGES, BLOCKS, S0, S1, S2, S3, S4>(in, out, boxes);                                      \
    }
#define RAGGED(NAME, COLUMNS, ROWS, RESIDENT) ONE_SHOT(NAME, 2, COLUMNS, ROWS, 1, 1, 1, RESIDENT)
TENSOR_VARIANTS(ONE_SHOT)
TENSOR_RAGGED_VARIANTS(RAGGED)
TENSOR_PIPELINE_VARIANTS(PIPELINE)
