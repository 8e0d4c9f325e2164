// One array to several, which lie one behind another: by registers, and by clusters of which each block loads a part of a
// tile for all of them and stores the whole tile to an array of its own.
#include "device.cuh"
#include "variants.hpp"

namespace {

constexpr int THREADS = 256;
constexpr int STAGES = 4;

template <int COPIES, int EACH>
__device__ __forceinline__ void by_vector(const char* from, char* to, u64 bytes) {
    const uint4* in = reinterpret_cast<const uint4*>(from);
    uint4* out = reinterpret_cast<uint4*>(to);
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

__device__ __forceinline__ u32 rank_in_cluster() {
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Arrives at the barrier that lies in that block's shared memory where this one lies in ours.
__device__ __forceinline__ void arrive_at(u64* barrier, u32 block) {
    asm volatile(
            "{\n"
            ".reg .b32 there;\n"
            "mapa.shared::cluster.u32 there, %0, %1;\n"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
            "}" ::"r"(shared_address(barrier)),
            "r"(block)
            : "memory");
}

__device__ __forceinline__ void wait_for_cluster(u64* barrier, u32 parity) {
    asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
            "@done bra.uni gone;\n"
            "bra.uni again;\n"
            "gone:\n"
            "}" ::"r"(shared_address(barrier)),
            "r"(parity)
            : "memory");
}

__device__ __forceinline__ void load_for_all(void* to, const void* from, u32 bytes, u64* barrier, unsigned short blocks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
                 "%4;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier)), "h"(blocks)
                 : "memory");
}

// bytes: whole tiles.
template <int COPIES, int KIB>
__device__ __forceinline__ void by_multicast(const char* in, char* out, u64 bytes) {
    constexpr u32 TILE = KIB * 1024;
    constexpr u32 PART = TILE / COPIES;
    constexpr unsigned short ALL = (1 << COPIES) - 1;
    extern __shared__ __align__(128) char ring[];
    __shared__ u64 loaded[STAGES];
    __shared__ u64 free_of_all[STAGES];
    u32 rank = rank_in_cluster();
    u32 clusters = gridDim.x / COPIES;
    u32 cluster = blockIdx.x / COPIES;
    u64 tiles = bytes / TILE;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&loaded[s], 1);
            barrier_init(&free_of_all[s], COPIES);
        }
        barriers_are_made();
    }
    __syncwarp();
    cluster_sync();
    if (threadIdx.x == 0) {
        auto load = [&](u64 tile, int stage) {
            barrier_expect(&loaded[stage], TILE);
            load_for_all(ring + stage * TILE + rank * PART, in + tile * TILE + rank * PART, PART, &loaded[stage], ALL);
        };
        u64 loading = cluster;
        for (int s = 0; s < STAGES - 1 && loading < tiles; s++, loading += clusters) {
            load(loading, s);
        }
        int stage = 0;
        u32 parity = 0;
        int refilled = STAGES - 1;
        u32 round = 0;
        int before = -1;
        for (u64 tile = cluster; tile < tiles; tile += clusters) {
            barrier_wait(&loaded[stage], parity);
            bulk_store(out + rank * bytes + tile * TILE, ring + stage * TILE, TILE);
            bulk_commit();
            bulk_wait_read<1>();
            if (before >= 0) {
                for (u32 block = 0; block < COPIES; block++) {
                    arrive_at(&free_of_all[before], block);
                }
            }
            before = stage;
            if (loading < tiles) {
                // The last stage is filled for the first time without a wait.
                wait_for_cluster(&free_of_all[refilled], round ^ 1);
                load(loading, refilled);
                loading += clusters;
                if (refilled == STAGES - 1) {
                    // Its first filling had nothing to wait for, like the others' before the loop.
                    round ^= 1;
                }
                refilled = refilled == STAGES - 1 ? 0 : refilled + 1;
            }
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        bulk_wait_read<0>();
    }
    __syncwarp();
    cluster_sync();
}

}  // namespace

#define GRID_vector(COPIES) __launch_bounds__(THREADS)
#define GRID_multicast(COPIES) __cluster_dims__(COPIES) __launch_bounds__(32)
#define KERNEL(NAME, WAY, COPIES, SIZE)                                                            \
    extern "C" __global__ void GRID_##WAY(COPIES) NAME(const char* in, char* out, u64 bytes) {     \
        by_##WAY<COPIES, SIZE>(in, out, bytes);                                                    \
    }
BROADCAST_VARIANTS(KERNEL)
