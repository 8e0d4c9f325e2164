// The operands of matrix products, and the check of what became of them. Operands for the check are small whole
// numbers, whose sums are exact in f32 in any order; operands to be timed are normally distributed, as near as a sum of
// four uniform numbers is.
#include "noise.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace {

template <typename T>
__device__ T of(float value) {
    return T(value);
}

__device__ int whole(unsigned long long i, unsigned seed, int most) {
    return static_cast<int>(noise(i, seed) % (2 * most + 1)) - most;
}

__device__ float normal(unsigned long long i, unsigned seed) {
    unsigned x = noise(i, seed);
    float sum = static_cast<float>((x & 255) + (x >> 8 & 255) + (x >> 16 & 255) + (x >> 24));
    // Four bytes: mean 510, deviation 147.8.
    return (sum - 510) / 147.8f;
}

// most: of the whole numbers; 0 for normal ones.
template <typename T>
__device__ void make(T* to, unsigned long long n, unsigned seed, int most) {
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<unsigned long long>(gridDim.x) * blockDim.x) {
        to[i] = of<T>(most == 0 ? normal(i, seed) : static_cast<float>(whole(i, seed, most)));
    }
}

// a is m x k of one seed, b n x k (by columns) or k x n of another; c m x n. Blocks of 32 x 32 threads.
template <typename T>
__device__ void check(const T* c, unsigned m, unsigned n, unsigned k, bool by_columns, unsigned seed, int most,
                      unsigned long long* result) {
    __shared__ float left[32][33];
    __shared__ float right[32][33];
    unsigned long long row = blockIdx.y * 32ull + threadIdx.y;
    unsigned long long column = blockIdx.x * 32ull + threadIdx.x;
    float sum = 0;
    for (unsigned at = 0; at < k; at += 32) {
        unsigned long long depth = at + threadIdx.x;
        unsigned long long other = blockIdx.x * 32ull + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && depth < k ? whole(row * k + depth, seed, most) : 0;
        if (by_columns) {
            right[threadIdx.x][threadIdx.y] = other < n && depth < k ? whole(other * k + depth, seed + 1, most) : 0;
        } else {
            unsigned long long down = at + threadIdx.y;
            right[threadIdx.y][threadIdx.x] = column < n && down < k ? whole(down * n + column, seed + 1, most) : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i++) {
            sum = fmaf(left[threadIdx.y][i], right[i][threadIdx.x], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n && static_cast<float>(c[row * n + column]) != static_cast<float>(of<T>(sum))) {
        atomicAdd(&result[0], 1ull);
        atomicMin(&result[1], row * n + column);
    }
}

} // namespace

#define MAKE(NAME, TYPE)                                                                              \
    extern "C" __global__ void make_##NAME(TYPE* to, unsigned long long n, unsigned seed, int most) { \
        make(to, n, seed, most);                                                                      \
    }
MAKE(f32, float)
MAKE(f16, __half)
MAKE(bf16, __nv_bfloat16)
MAKE(f8, __nv_fp8_e4m3)

#define CHECK(NAME, TYPE)                                                                                       \
    extern "C" __global__ void check_##NAME(const TYPE* c, unsigned m, unsigned n, unsigned k, bool by_columns, \
                                            unsigned seed, int most, unsigned long long* result) {              \
        check(c, m, n, k, by_columns, seed, most, result);                                                      \
    }
CHECK(f32, float)
CHECK(f16, __half)
CHECK(bf16, __nv_bfloat16)
