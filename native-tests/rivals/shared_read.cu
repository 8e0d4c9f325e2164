// Several blocks read every tile of theirs: each its own copy, out of the L2 but for the first, or parts that the copy
// engine gives to all of a cluster (multicast). The sum of all words that are read, modulo 2^32.
#include "device.cuh"
#include "variants.hpp"

namespace {

constexpr int THREADS = 256;

// See variants.hpp.
enum class Way { apart, own, multicast };

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

__device__ __forceinline__ void load_for_all(void* to, const void* from, u32 bytes, u64* barrier,
                                             unsigned short blocks) {
    asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
            "[%3], "
            "%4;" ::"r"(shared_address(to)),
            "l"(from), "r"(bytes), "r"(shared_address(barrier)), "h"(blocks)
            : "memory");
}

template <Way WAY>
__device__ __forceinline__ void all_are_here() {
    if constexpr (WAY == Way::apart) {
        __syncthreads();
    } else {
        __syncwarp();
        cluster_sync();
    }
}

// bytes: whole tiles.
template <Way WAY, int READERS, int TILE, int STAGES>
__device__ __forceinline__ void read(const char* in, u32* total, u64 bytes) {
    constexpr bool MULTICAST = WAY == Way::multicast;
    constexpr u32 PART = TILE / READERS;
    constexpr unsigned short ALL = (1 << READERS) - 1;
    extern __shared__ __align__(128) char ring[];
    __shared__ u64 loaded[STAGES];
    // Of this block's stages, by all that read what it loads.
    __shared__ u64 done[STAGES];
    u32 groups = gridDim.x / READERS;
    u64 tiles = bytes / TILE;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&loaded[s], 1);
            barrier_init(&done[s], THREADS / 32 * (MULTICAST ? READERS : 1));
        }
        barriers_are_made();
    }
    all_are_here<WAY>();
    int stage = 0;
    u32 parity = 0;
    auto next = [&] {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    };
    if (threadIdx.x == 0) {
        for (u64 tile = blockIdx.x / READERS; tile < tiles; tile += groups) {
            if constexpr (MULTICAST) {
                wait_for_cluster(&done[stage], parity ^ 1);
            } else {
                barrier_wait(&done[stage], parity ^ 1);
            }
            barrier_expect(&loaded[stage], TILE);
            if constexpr (MULTICAST) {
                u32 rank = rank_in_cluster();
                load_for_all(ring + stage * TILE + rank * PART, in + tile * TILE + rank * PART, PART, &loaded[stage],
                             ALL);
            } else {
                bulk_load(ring + stage * TILE, in + tile * TILE, TILE, &loaded[stage]);
            }
            next();
        }
    } else if (threadIdx.x >= 32) {
        u32 own = 0;
        for (u64 tile = blockIdx.x / READERS; tile < tiles; tile += groups) {
            const uint4* words = reinterpret_cast<const uint4*>(ring + stage * TILE);
            barrier_wait(&loaded[stage], parity);
#pragma unroll 8
            for (u32 i = threadIdx.x - 32; i < TILE / 16; i += THREADS) {
                uint4 v = words[i];
                own += v.x + v.y + v.z + v.w;
            }
            __syncwarp();
            if (MULTICAST && threadIdx.x % 32 < READERS) {
                arrive_at(&done[stage], threadIdx.x % 32);
            } else if (!MULTICAST && threadIdx.x % 32 == 0) {
                barrier_arrive(&done[stage]);
            }
            next();
        }
        own = __reduce_add_sync(0xFFFFFFFFu, own);
        if (threadIdx.x % 32 == 0) {
            atomicAdd(total, own);
        }
    }
    // No block ends while another may still arrive at its barriers.
    if constexpr (WAY != Way::apart) {
        all_are_here<WAY>();
    }
}

} // namespace

#define CLUSTER_apart(READERS)
#define CLUSTER_own(READERS) __cluster_dims__(READERS)
#define CLUSTER_multicast(READERS) __cluster_dims__(READERS)
#define KERNEL(NAME, WAY, READERS, KIB, STAGES, BLOCKS)                               \
    extern "C" __global__ void CLUSTER_##WAY(READERS) __launch_bounds__(THREADS + 32) \
            NAME(const char* in, u32* total, u64 bytes) {                             \
        read<Way::WAY, READERS, KIB * 1024, STAGES>(in, total, bytes);                \
    }
SHARED_READ_VARIANTS(KERNEL)
