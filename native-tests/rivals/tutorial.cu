// The shapes that tutorials begin with: each thread loads one word by cp.async; a 32x32 box by a tensor map for 1,024
// threads.
#include "boxes.hpp"
#include "device.cuh"
#include "variants.hpp"

#include <cuda.h>

namespace {

template <int THREADS, typename Word>
__device__ __forceinline__ void copy(const Word* in, Word* out, u64 n) {
    __shared__ __align__(128) Word tile[THREADS];
    u64 i = static_cast<u64>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n) {
        async_load<sizeof(Word)>(&tile[threadIdx.x], in + i);
    }
    async_commit();
    async_wait<0>();
    __syncthreads();
    if (i < n) {
        out[i] = tile[threadIdx.x];
    }
}

template <int BYTES>
struct WordOf {
    using Type = uint4;
};
template <>
struct WordOf<4> {
    using Type = float;
};

} // namespace

#define ASYNC(NAME, THREADS, BYTES)                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS)                              \
            NAME(const WordOf<BYTES>::Type* in, WordOf<BYTES>::Type* out, u64 bytes) { \
        copy<THREADS>(in, out, bytes / BYTES);                                         \
    }
TUTORIAL_ASYNC_VARIANTS(ASYNC)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

namespace {

// result: where the elements go if no tensor store takes them there; of rows of whole boxes or less.
template <bool STORE>
__device__ __forceinline__ void box(const CUtensorMap& in, const CUtensorMap& out, const Boxes& boxes, float* result,
                                    u32 columns, u32 rows) {
    __shared__ __align__(128) float tile[32][32];
    __shared__ u64 loaded;
    u32 row = blockIdx.x / boxes.counts[0] * 32;
    u32 column = blockIdx.x % boxes.counts[0] * 32;
    int at[5] = {static_cast<int>(column), static_cast<int>(row)};
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        barrier_init(&loaded, 1);
        barriers_are_made();
        barrier_expect(&loaded, sizeof tile);
        tensor_load<2>(tile, &in, at, &loaded);
    }
    __syncthreads();
    barrier_wait(&loaded, 0);
    if constexpr (STORE) {
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            tensor_store<2>(&out, at, tile);
            bulk_commit();
            bulk_wait_read<0>();
        }
    } else if (column + threadIdx.x < columns && row + threadIdx.y < rows) {
        result[static_cast<u64>(row + threadIdx.y) * columns + column + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
    }
}

} // namespace

#define TENSOR(NAME, STORE)                                                                                    \
    extern "C" __global__ void __launch_bounds__(1024)                                                         \
            NAME(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, Boxes boxes, \
                 float* result, u32 columns, u32 rows) {                                                       \
        box<STORE>(in, out, boxes, result, columns, rows);                                                     \
    }
TUTORIAL_TENSOR_VARIANTS(TENSOR)

#endif
