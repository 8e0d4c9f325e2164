// Transposes of f32 through a tile in shared memory, whose rows are padded against bank conflicts or not.
#include "device.cuh"
#include "variants.hpp"

namespace {

template <int SIDE, int ROWS, int PADDING>
__device__ __forceinline__ void transpose(const float* in, float* out, u32 rows, u32 columns) {
    __shared__ float tile[SIDE][SIDE + PADDING];
    u32 row = blockIdx.y * SIDE;
    u32 column = blockIdx.x * SIDE;
#pragma unroll
    for (int y = 0; y < SIDE; y += ROWS) {
#pragma unroll
        for (int x = 0; x < SIDE; x += 32) {
            u32 r = row + y + threadIdx.y;
            u32 c = column + x + threadIdx.x;
            if (r < rows && c < columns) {
                tile[y + threadIdx.y][x + threadIdx.x] = in[static_cast<u64>(r) * columns + c];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int y = 0; y < SIDE; y += ROWS) {
#pragma unroll
        for (int x = 0; x < SIDE; x += 32) {
            u32 r = row + x + threadIdx.x;
            u32 c = column + y + threadIdx.y;
            if (r < rows && c < columns) {
                out[static_cast<u64>(c) * rows + r] = tile[x + threadIdx.x][y + threadIdx.y];
            }
        }
    }
}

} // namespace

#define KERNEL(NAME, SIDE, ROWS, PADDING)                                                        \
    extern "C" __global__ void __launch_bounds__(32 * ROWS)                                      \
            NAME(const float* __restrict__ in, float* __restrict__ out, u32 rows, u32 columns) { \
        transpose<SIDE, ROWS, PADDING>(in, out, rows, columns);                                  \
    }
TRANSPOSE_VARIANTS(KERNEL)
