// The data that kernels are measured on: random-looking words that anyone can compute anew, and what is to become of
// them.
#pragma once

#ifdef __CUDACC__
#define ON_BOTH_SIDES __host__ __device__ inline
#else
#define ON_BOTH_SIDES inline
#endif

// Word i of the data that a seed stands for: MurmurHash3's last step, so that every bit of it changes from word to
// word.
ON_BOTH_SIDES unsigned noise(unsigned long long i, unsigned seed) {
    unsigned x = static_cast<unsigned>(i) ^ (static_cast<unsigned>(i >> 32) * 0x9E3779B9u) ^ (seed * 0x85EBCA77u);
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    return x ^ (x >> 16);
}

// The same as the bits of a float from 1 up to 2.
ON_BOTH_SIDES unsigned noise_float(unsigned long long i, unsigned seed) {
    return 0x3F800000u | (noise(i, seed) >> 9);
}
