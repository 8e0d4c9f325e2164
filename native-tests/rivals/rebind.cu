// Copies of boxes through maps that the kernel itself makes: it changes the address in a copy of a map, publishes it in
// global memory for its own threads, and goes on as copy_tensor.cu does. Needs the target sm_90a.
#include "boxes.hpp"
#include "device.cuh"
#include "variants.hpp"

#include <cuda.h>

namespace {

// Called by a whole warp. The map in shared memory gets another address and is published.
__device__ __forceinline__ void publish(const CUtensorMap& like, const void* address, CUtensorMap* in_shared,
                                        CUtensorMap* published) {
    reinterpret_cast<u32*>(in_shared)[threadIdx.x] = reinterpret_cast<const u32*>(&like)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(
                             shared_address(in_shared)),
                     "l"(address)
                     : "memory");
    }
    __syncwarp();
    asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [%0], [%1], 128;" ::
                    "l"(published),
            "r"(shared_address(in_shared))
            : "memory");
}

__device__ __forceinline__ void acquire(const CUtensorMap* published) {
    asm volatile("fence.proxy.tensormap::generic.acquire.cta [%0], 128;" ::"l"(published) : "memory");
}

template <int COLUMNS, int ROWS, int STAGES, int BLOCKS>
__device__ __forceinline__ void copy(const CUtensorMap& like, const char* in, char* out, CUtensorMap* maps,
                                     const Boxes& boxes) {
    constexpr int BYTES = 4 * COLUMNS * ROWS;
    extern __shared__ __align__(128) char ring[];
    __shared__ __align__(128) CUtensorMap changed[2];
    __shared__ u64 loaded[STAGES];
    CUtensorMap* in_map = maps + 2 * blockIdx.x;
    CUtensorMap* out_map = in_map + 1;
    publish(like, in, &changed[0], in_map);
    publish(like, out, &changed[1], out_map);
    if (threadIdx.x != 0) {
        return;
    }
    acquire(in_map);
    acquire(out_map);
    Walk<BLOCKS> walk(boxes.total);
    auto load = [&](u64 box, int stage) {
        int at[5] = {static_cast<int>(box % boxes.counts[0]) * COLUMNS, static_cast<int>(box / boxes.counts[0]) * ROWS};
        barrier_expect(&loaded[stage], BYTES);
        tensor_load<2>(ring + stage * BYTES, in_map, at, &loaded[stage]);
    };
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        barrier_init(&loaded[s], 1);
    }
    barriers_are_made();
    // A run that fits into the ring is loaded at once.
    constexpr int AHEAD = BLOCKS < 0 && -BLOCKS <= STAGES ? STAGES : STAGES - 1;
    for (int s = 0; s < AHEAD && walk.first + s * walk.step < walk.end; s++) {
        load(walk.first + s * walk.step, s);
    }
    int stage = 0;
    u32 parity = 0;
    for (u64 box = walk.first; box < walk.end; box += walk.step) {
        barrier_wait(&loaded[stage], parity);
        int at[5] = {static_cast<int>(box % boxes.counts[0]) * COLUMNS, static_cast<int>(box / boxes.counts[0]) * ROWS};
        tensor_store<2>(out_map, at, ring + stage * BYTES);
        bulk_commit();
        if (box + AHEAD * walk.step < walk.end) {
            bulk_wait_read<1>();
            load(box + AHEAD * walk.step, stage == 0 ? STAGES - 1 : stage - 1);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    bulk_wait_read<0>();
}

} // namespace

#define KERNEL(NAME, COLUMNS, ROWS, STAGES, BLOCKS)                                                                 \
    extern "C" __global__ void __launch_bounds__(32) NAME(const __grid_constant__ CUtensorMap like, const char* in, \
                                                          char* out, CUtensorMap* maps, Boxes boxes) {              \
        copy<COLUMNS, ROWS, STAGES, BLOCKS>(like, in, out, maps, boxes);                                            \
    }
REBIND_VARIANTS(KERNEL)
