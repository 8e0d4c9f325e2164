// out = in * factor in f32: by registers, and by a pipeline of warps that load and warps that compute.
#include "device.cuh"
#include "variants.hpp"

namespace {

__device__ __forceinline__ float4 scaled(float4 v, float factor) {
    return make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
}

template <int THREADS, int EACH, bool HINT>
__device__ __forceinline__ void by_registers(const float4* in, float4* out, u64 n, float factor) {
    u64 at = static_cast<u64>(blockIdx.x) * THREADS * EACH;
    if (at + THREADS * EACH <= n) {
        float4 held[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const float4* from = in + at + e * THREADS + threadIdx.x;
            held[e] = HINT ? __ldcs(from) : *from;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            float4* to = out + at + e * THREADS + threadIdx.x;
            if (HINT) {
                __stcs(to, scaled(held[e], factor));
            } else {
                *to = scaled(held[e], factor);
            }
        }
    } else {
#pragma unroll 1
        for (u64 i = at + threadIdx.x; i < n; i += THREADS) {
            out[i] = scaled(in[i], factor);
        }
    }
}

} // namespace

#define REGISTERS(NAME, THREADS, EACH, HINT, BLOCKS)                       \
    extern "C" __global__ void __launch_bounds__(THREADS)                  \
            NAME(const float4* in, float4* out, u64 bytes, float factor) { \
        by_registers<THREADS, EACH, HINT>(in, out, bytes / 16, factor);    \
    }
SCALE_VECTOR_VARIANTS(REGISTERS)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

namespace {

template <int THREADS, int TILE, int STAGES, int BLOCKS>
__device__ __forceinline__ void by_warps(const char* in, char* out, u64 bytes, float factor) {
    extern __shared__ __align__(128) char ring[];
    __shared__ u64 loaded[STAGES];
    __shared__ u64 stored[STAGES];
    static_assert(STAGES > 1 || BLOCKS == 0, "one stage is for one tile");
    u64 tiles = (bytes + TILE - 1) / TILE;
    Walk<BLOCKS> walk(tiles);
    auto size_of = [&](u64 tile) { return static_cast<u32>(tile + 1 < tiles ? TILE : bytes - tile * TILE); };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&loaded[s], 1);
            barrier_init(&stored[s], 1);
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
            for (u64 tile = walk.first; tile < walk.end; tile += walk.step) {
                // The first round finds every stage empty: the phase before a barrier's first counts as over.
                barrier_wait(&stored[stage], parity ^ 1);
                barrier_expect(&loaded[stage], size_of(tile));
                bulk_load(ring + stage * TILE, in + tile * TILE, size_of(tile), &loaded[stage]);
                next();
            }
        }
        return;
    }
    u32 own = threadIdx.x - 32;
    int before = -1;
    for (u64 tile = walk.first; tile < walk.end; tile += walk.step) {
        u32 size = size_of(tile);
        float4* values = reinterpret_cast<float4*>(ring + stage * TILE);
        barrier_wait(&loaded[stage], parity);
        if (size == TILE) {
#pragma unroll 4
            for (u32 i = own; i < TILE / 16; i += THREADS) {
                values[i] = scaled(values[i], factor);
            }
        } else {
#pragma unroll 1
            for (u32 i = own; i < size / 16; i += THREADS) {
                values[i] = scaled(values[i], factor);
            }
        }
        fence_shared_for_copies();
        asm volatile("barrier.sync 1, %0;" ::"n"(THREADS) : "memory");
        if (own == 0) {
            bulk_store(out + tile * TILE, values, size);
            bulk_commit();
            bulk_wait_read<1>();
            if (before >= 0) {
                barrier_arrive(&stored[before]);
            }
            before = stage;
        }
        next();
    }
    if (own == 0) {
        bulk_wait_read<0>();
    }
}

} // namespace

#define WARPS(NAME, THREADS, KIB, STAGES, BLOCKS)                                                       \
    extern "C" __global__ void __launch_bounds__(THREADS + 32, STAGES == 1 ? 2048 / (THREADS + 32) : 1) \
            NAME(const char* in, char* out, u64 bytes, float factor) {                                  \
        by_warps<THREADS, KIB * 1024, STAGES, BLOCKS>(in, out, bytes, factor);                          \
    }
SCALE_WARPS_VARIANTS(WARPS)

#endif
