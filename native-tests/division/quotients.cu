// Quotients, reciprocals and square roots as the emitter writes them, against the compiler's own, which have registers
// enough here, and quotients of f32 against those of f64, too.
//     nvcc -O3 -arch=native --fmad=false quotients.cu -o quotients && ./quotients
#include <cstdint>
#include <cstdio>
#include <cstring>
#include "operations.cuh"

typedef unsigned long long u64;

__device__ u64 wrong[16];
__device__ u64 example[16][2];

__device__ void report(int test, bool bad, u64 a, u64 b) {
    if (bad && atomicAdd(&wrong[test], 1ull) == 0) example[test][0] = a, example[test][1] = b;
}

// splitmix64
__device__ u64 mixed(u64 z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

__device__ bool same(float a, float b) { return __float_as_uint(a) == __float_as_uint(b); }
__device__ bool same(double a, double b) {  // the kernel makes every NaN of f64 the same one
    return a != a && b != b || __double_as_longlong(a) == __double_as_longlong(b);
}

__device__ void quotient(int test, unsigned m, unsigned n) {
    const float a = __uint_as_float(m), b = __uint_as_float(n), q = value::quotient_f32(a, b);
    report(test, !same(q, __fdiv_rn(a, b)), m, n);
    report(test, !same(q, (float)__ddiv_rn(a, b)), m, n);
}

__device__ void quotient64(int test, u64 m, u64 n) {
    const double a = __longlong_as_double(m), b = __longlong_as_double(n);
    report(test, !same(value::quotient_f64(a, b), __ddiv_rn(a, b)), m, n);
}

__device__ u64 thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u64 threads() { return (u64)gridDim.x * blockDim.x; }

// Every number of f32.
__global__ void unary() {
    for (u64 k = thread(); k < 1ull << 32; k += threads()) {
        const float a = __uint_as_float((unsigned)k);
        report(0, !same(value::reciprocal_f32(a), __frcp_rn(a)), k, 0);
        report(1, !same(value::root_f32(a), __fsqrt_rn(a)), k, 0);
        if (fabsf(a) >= 0x1p-126f && fabsf(a) <= 0x1p126f) {
            report(2, !same(value::near_reciprocal_f32(a), __frcp_rn(a)), k, 0);
        }
    }
}

// Any bits; and numbers near 1.
__global__ void drawn(u64 count) {
    for (u64 k = thread(); k < count; k += threads()) {
        const u64 z = mixed(k);
        quotient(3, (unsigned)(z >> 32), (unsigned)z);
        quotient(4, (unsigned)(z >> 32) & 0x80ffffff | 0x3f000000, (unsigned)z & 0x80ffffff | 0x3f000000);
    }
}

// All pairs of exponents and signs, with 32 significands each: least, greatest, and drawn.
__device__ unsigned significand(int i, u64 z) {
    return i < 12 ? i : i < 24 ? 0x7fffff - (i - 12) : i < 28 ? 0x400000 + i - 26 : z & 0x7fffff;
}
__global__ void exponents() {
    for (u64 k = thread(); k < 1ull << 28; k += threads()) {
        const unsigned m = (k & 511) << 23, n = (k >> 9 & 511) << 23;
        const u64 z = mixed(k);
        quotient(5, m | significand(k >> 18 & 31, z), n | significand(k >> 23 & 31, z >> 32));
    }
}

// Of each divisor, the dividends whose quotients are nearest to the middle between two numbers.
__global__ void hard() {
    for (u64 k = thread(); k < 1ull << 23; k += threads()) {
        const u64 n = 1ull << 23 | k;
        const int zeros = __ffsll((long long)n) - 1;
        const u64 odd = n >> zeros;
        u64 inverse = odd;
        for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
        for (int j = -16 >> zeros; j <= 16 >> zeros; ++j) {
            for (int bits = max(24 - zeros, 1); bits <= 25 - zeros; ++bits) {
                // m * 2^bits + j = odd * q for a q of 25 bits
                for (u64 q = inverse * (u64)(long long)j & (1ull << bits) - 1; q < 1ull << 25; q += 1ull << bits) {
                    const u64 m = (u64)((long long)(odd * q) - j) >> bits;
                    if (q >> 24 == 0 || m >> 23 != 1) continue;
                    const u64 z = mixed(k * 64 + j);
                    for (int e = 0; e < 4; ++e) {
                        const unsigned up = z >> e * 16 & 127, down = z >> (e * 16 + 8) & 127;
                        quotient(6, (unsigned)m & 0x7fffff | 64 + up << 23, (unsigned)n & 0x7fffff | 64 + down << 23);
                    }
                    atomicAdd(&wrong[7], 1ull);
                }
            }
        }
    }
}

// Every significand of a dividend, over drawn divisors.
__global__ void dividends(int divisors) {
    for (u64 k = thread(); k < (u64)divisors << 23; k += threads()) {
        const u64 z = mixed(k >> 23);
        quotient(8, (unsigned)k & 0x7fffff | 127u << 23, (unsigned)z & 0x7fffff | 127u << 23);
        quotient(9, (unsigned)k & 0x7fffff | (unsigned)(z >> 32 & 3) << 23,
                (unsigned)z & 0x7fffff | (unsigned)(z >> 40 & 255) << 23);
    }
}

__device__ u64 edge(u64 z) {
    const u64 s = z >> 58 & 7, least = z & 15;
    const u64 all = 0xfffffffffffffull;
    return z & ~all | (s == 0 ? least : s == 1 ? all - least : s == 2 ? 1ull << (z & 63) % 52
            : s == 3 ? z & all & ~0xfffffffull : z & all);
}

__global__ void wide(u64 count) {
    for (u64 k = thread(); k < count; k += threads()) {
        const u64 y = mixed(2 * k), z = mixed(2 * k + 1);
        quotient64(10, edge(y), edge(z));
        const u64 around1 = 0x803fffffffffffffull, near1 = 0x3fc0000000000000ull, rest = 0x800fffffffffffffull;
        quotient64(11, y & around1 | near1, edge(z) & around1 | near1);
        // subnormal quotients, and such that f64 has exactly
        const u64 e = 1 + (y >> 40 & 255);
        quotient64(12, edge(y) & rest | e << 52, edge(z) & rest | e + 960 + (z >> 44 & 127) << 52);
        const double a = __longlong_as_double(edge(y)), b = __longlong_as_double(edge(z));
        quotient64(12, __double_as_longlong(__dmul_rn(a, (double)(int)z)), edge(z));
        quotient64(12, __double_as_longlong(__dmul_rn(a, b)), edge(z));
        report(13, !same(value::reciprocal_f64(a), __drcp_rn(a)), edge(y), 0);
        report(14, !same(value::root_f64(a), __dsqrt_rn(a)), edge(y), 0);
        const double c = fabs(a), s = __dmul_rn((double)(float)a, (double)(float)a);
        report(14, !same(value::root_f64(c), __dsqrt_rn(c)), edge(y), 1);
        report(14, !same(value::root_f64(s), __dsqrt_rn(s)), edge(y), 2);
    }
}

// What a quotient costs, where one after the other is computed, of dividends some of which are 0.
template<int WHICH, typename T> __global__ void costs(T* out, int turns, int zeros) {
    T sum = 0, a = (T)(1 + threadIdx.x % 97), b = (T)(1.5 + blockIdx.x % 31);
    for (int k = 0; k < turns; ++k) {
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
            const T x = ((threadIdx.x * 7 + k) & 31) < zeros ? (T)0 : a + (T)i;
            if constexpr (sizeof(T) == 4) {
                sum += WHICH == 0 ? value::quotient_f32(x, b) : WHICH == 1 ? __fdiv_rn(x, b)
                        : WHICH == 2 ? value::reciprocal_f32(b + x) : WHICH == 3 ? __frcp_rn(b + x)
                        : WHICH == 4 ? value::root_f32(b + x) : __fsqrt_rn(b + x);
            } else {
                sum += WHICH == 0 ? value::quotient_f64(x, b) : WHICH == 1 ? __ddiv_rn(x, b)
                        : WHICH == 2 ? value::reciprocal_f64(b + x) : WHICH == 3 ? __drcp_rn(b + x)
                        : WHICH == 4 ? value::root_f64(b + x) : __dsqrt_rn(b + x);
            }
        }
        b += (T)0.125;
    }
    out[thread()] = sum;
}

static void* space;

template<int WHICH, typename T> float milliseconds(int zeros) {
    cudaEvent_t from, to;
    cudaEventCreate(&from), cudaEventCreate(&to);
    float best = 1e9f;
    for (int i = 0; i < 5; ++i) {
        cudaEventRecord(from);
        costs<WHICH, T><<<2048, 256>>>((T*)space, 64, zeros);
        cudaEventRecord(to), cudaEventSynchronize(to);
        float ms;
        cudaEventElapsedTime(&ms, from, to);
        best = ms < best ? ms : best;
    }
    return best;
}

template<typename T> void race(const char* type) {
    for (int zeros : {0, 1, 16, 32}) {
        printf("%s, %d of 32 dividends 0: quotients ours %.3f ms, the compiler's %.3f ms\n", type, zeros,
                milliseconds<0, T>(zeros), milliseconds<1, T>(zeros));
    }
    printf("%s: reciprocals ours %.3f ms, the compiler's %.3f ms; roots ours %.3f ms, the compiler's %.3f ms\n", type,
            milliseconds<2, T>(0), milliseconds<3, T>(0), milliseconds<4, T>(0), milliseconds<5, T>(0));
}

int main() {
    const u64 many = 1ull << 34, some = 1ull << 31;
    const int divisors = 1024;
    const char* names[] = {"reciprocals, every number", "roots, every number",
            "near reciprocals, every number in range",
            "quotients, any bits", "quotients, near 1",
            "quotients, every pair of exponents and signs, 32 x 32 significands",
            "quotients, nearest to a middle", "  of so many pairs", "quotients, every dividend over 1024 divisors",
            "quotients, every subnormal and small dividend", "f64 quotients, any exponents", "f64 quotients, near 1",
            "f64 quotients, subnormal or exact", "f64 reciprocals", "f64 roots"};
    const u64 counts[] = {1ull << 32, 1ull << 32, 1ull << 32, many, many, 1ull << 28, 0, 0, (u64)divisors << 23,
            (u64)divisors << 23, some, some, 3 * some, some, 3 * some};
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    printf("%s\n", device.name);
    cudaMalloc(&space, 8 * 2048 * 256);
    unary<<<4096, 256>>>();
    drawn<<<4096, 256>>>(many);
    exponents<<<4096, 256>>>();
    hard<<<4096, 256>>>();
    dividends<<<4096, 256>>>(divisors);
    wide<<<4096, 256>>>(some);
    if (int code = cudaDeviceSynchronize()) return printf("error %d\n", code), 1;
    u64 found[16], examples[16][2];
    cudaMemcpyFromSymbol(found, wrong, sizeof found);
    cudaMemcpyFromSymbol(examples, example, sizeof examples);
    int bad = 0;
    for (int i = 0; i < 15; ++i) {
        if (i == 7) {
            printf("    (%llu such pairs, at 4 pairs of exponents each)\n", found[i]);
        } else if (i == 6) {
            printf("%s: %llu wrong", names[i], found[i]);
        } else {
            printf("%s: %llu of %llu wrong", names[i], found[i], counts[i]);
        }
        if (i != 7) {
            if (found[i]) bad = 1, printf(", such as %llx, %llx", examples[i][0], examples[i][1]);
            printf("\n");
        }
    }
    race<float>("f32"), race<double>("f64");
    return bad;
}
