// Makes the data that kernels are measured on, and checks what they have made of it, without a copy to the host. What
// is expected is computed anew from the seed and read from no memory.
#include "noise.hpp"

namespace {

__device__ unsigned long long first() {
    return static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ unsigned long long step() {
    return static_cast<unsigned long long>(gridDim.x) * blockDim.x;
}

__device__ unsigned word(unsigned long long i, unsigned seed, bool floats) {
    return floats ? noise_float(i, seed) : noise(i, seed);
}

// result[0]: how many are wrong; result[1]: the first of them.
__device__ void count(bool wrong, unsigned long long i, unsigned long long* result) {
    if (wrong) {
        atomicAdd(&result[0], 1ull);
        atomicMin(&result[1], i);
    }
}

} // namespace

extern "C" {

__global__ void make_words(unsigned* words, unsigned long long n, unsigned seed, bool floats) {
    for (unsigned long long i = first(); i < n; i += step()) {
        words[i] = word(i, seed, floats);
    }
}

// words[i] is the data's plus another's (of seed + 1) as many times as said.
__global__ void check_words(const unsigned* words, unsigned long long n, unsigned seed, bool floats, unsigned added,
                            unsigned long long* result) {
    for (unsigned long long i = first(); i < n; i += step()) {
        count(words[i] != word(i, seed, floats) + added * noise(i, seed + 1), i, result);
    }
}

__global__ void check_scaled(const float* values, unsigned long long n, unsigned seed, float factor,
                             unsigned long long* result) {
    for (unsigned long long i = first(); i < n; i += step()) {
        float expected = __fmul_rn(__uint_as_float(noise_float(i, seed)), factor);
        count(__float_as_uint(values[i]) != __float_as_uint(expected), i, result);
    }
}

// words lies as columns x rows: element (c, r) is the data's (r, c).
__global__ void check_transposed(const unsigned* words, unsigned long long rows, unsigned long long columns,
                                 unsigned seed, unsigned long long* result) {
    for (unsigned long long i = first(); i < rows * columns; i += step()) {
        unsigned long long c = i / rows;
        unsigned long long r = i % rows;
        count(words[i] != noise(r * columns + c, seed), i, result);
    }
}

// total is the sum of the data, modulo 2^32, as many times as said.
__global__ void add_expected(unsigned long long n, unsigned seed, unsigned* sum) {
    unsigned own = 0;
    for (unsigned long long i = first(); i < n; i += step()) {
        own += noise(i, seed);
    }
    atomicAdd(sum, own);
}
}
