// Transposes of f32 through a tile in shared memory, which lies there in one of several ways.
#include "device.cuh"
#include "variants.hpp"

namespace {

// Row behind row; one word left free behind each; chunks of 16 bytes exchanged, as the copy engine's 128-byte swizzle
// does; or all words of a row. A column is read without conflicts where it is padded, and where words are exchanged.
enum class Layout { plain, padded, swizzled, xored };

template <Layout LAYOUT, int SIDE>
__device__ __forceinline__ u32 place(u32 row, u32 column) {
    if constexpr (LAYOUT == Layout::padded) {
        return row * (SIDE + 1) + column;
    } else if constexpr (LAYOUT == Layout::swizzled) {
        return row * SIDE + (column ^ row % 8 * 4);
    } else if constexpr (LAYOUT == Layout::xored) {
        return row * SIDE + (column ^ row % 32);
    } else {
        return row * SIDE + column;
    }
}

// All of a thread's loads are under way before it waits for the first, and so are its reads of the tile, but where all of
// these wait for the same bank: each is beside its store then, which is faster.
template <int SIDE, int ROWS, Layout LAYOUT>
__device__ __forceinline__ void transpose(const float* in, float* out, u32 rows, u32 columns) {
    constexpr int ACROSS = SIDE / 32;
    constexpr int EACH = SIDE / ROWS * ACROSS;
    __shared__ float tile[SIDE * (SIDE + (LAYOUT == Layout::padded))];
    float held[EACH];
    u32 row = blockIdx.y * SIDE;
    u32 column = blockIdx.x * SIDE;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        u32 r = row + e / ACROSS * ROWS + threadIdx.y;
        u32 c = column + e % ACROSS * 32 + threadIdx.x;
        held[e] = r < rows && c < columns ? in[static_cast<u64>(r) * columns + c] : 0.0f;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        tile[place<LAYOUT, SIDE>(e / ACROSS * ROWS + threadIdx.y, e % ACROSS * 32 + threadIdx.x)] = held[e];
    }
    __syncthreads();
    auto read = [&](int e) {
        return tile[place<LAYOUT, SIDE>(e % ACROSS * 32 + threadIdx.x, e / ACROSS * ROWS + threadIdx.y)];
    };
    if constexpr (LAYOUT != Layout::plain) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            held[e] = read(e);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        u32 r = row + e % ACROSS * 32 + threadIdx.x;
        u32 c = column + e / ACROSS * ROWS + threadIdx.y;
        if (r < rows && c < columns) {
            out[static_cast<u64>(c) * rows + r] = LAYOUT == Layout::plain ? read(e) : held[e];
        }
    }
}

} // namespace

#define KERNEL(NAME, SIDE, ROWS, LAYOUT)                                                         \
    extern "C" __global__ void __launch_bounds__(32 * ROWS)                                      \
            NAME(const float* __restrict__ in, float* __restrict__ out, u32 rows, u32 columns) { \
        transpose<SIDE, ROWS, Layout::LAYOUT>(in, out, rows, columns);                           \
    }
TRANSPOSE_VARIANTS(KERNEL)
