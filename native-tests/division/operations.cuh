// Made by QuotientTextTest from the emitter.

namespace value {

// 1 / a, rounded to nearest even, if a is from 2^-126 to 2^126; else less, or a NaN.
__device__ __forceinline__ float near_reciprocal_f32(float a) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return __fmaf_rn(__fmaf_rn(-a, r, 1.0f), r, r);
}

// a / b, rounded to nearest even, in f64, where no number of f32 is subnormal.
__device__ __forceinline__ float rare_quotient_f32(float a, float b) {
    const double x = a, d = b;
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(d));
    const double guess = __dmul_rn(x, y);
    double e = __fma_rn(-d, y, 1.0);
    e = __fma_rn(e, e, e);
    y = __fma_rn(y, e, y);
    const double q = __dmul_rn(x, y);
    const double r = __fma_rn(__fma_rn(-d, q, x), y, q);
    // The guess is right of 0, infinity and NaN, where the steps after it are not.
    const float rounded = __double2float_rn(fabs(r) > 0.0 ? r : guess);
    return rounded == rounded ? rounded : __int_as_float(0x7fffffff);
}

// a / b, rounded to nearest even.
__device__ __forceinline__ float quotient_f32(float a, float b) {
    const float y = value::near_reciprocal_f32(b);
    const float q = __fmul_rn(a, y);
    const float r = __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
    // Then nothing was subnormal or infinite on the way.
    if (fabsf(a) >= 0x1p-100f && fabsf(r) >= 0x1p-125f) return r;
    return value::rare_quotient_f32(a, b);
}

// The square root of a, rounded to nearest even, if a is at least 2^-101.
__device__ __forceinline__ float near_root_f32(float a) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
    const float g = __fmul_rn(a, y);
    return __fmaf_rn(__fmaf_rn(-g, g, a), __fmul_rn(y, 0.5f), g);
}

// The square root of a, rounded to nearest even.
__device__ __forceinline__ float root_f32(float a) {
    if (__float_as_uint(a) - 0x0d000000u < 0x72800000u) return value::near_root_f32(a);
    if (a == 0.0f || a == __int_as_float(0x7f800000)) return a;
    return __fmul_rn(value::near_root_f32(__fmul_rn(a, 0x1p64f)), 0x1p-32f);
}

// 1 / a, rounded to nearest even.
__device__ __forceinline__ float reciprocal_f32(float a) {
    const float r = value::near_reciprocal_f32(a);
    if (fabsf(r) >= 0x1p-125f) return r;
    return value::rare_quotient_f32(1.0f, a);
}

}  // namespace value

namespace value {

// Every NaN becomes the same one.
__device__ __forceinline__ double canonical(double a) {
    return a == a ? a : __longlong_as_double(0x7fffffffffffffffll);
}

__device__ __forceinline__ double add_f64(double a, double b) {
    return value::canonical(__dadd_rn(a, b));
}

// 1 / a, rounded to nearest even, if a is from 2^-1022 to 2^1020.
__device__ __forceinline__ double near_reciprocal_f64(double a) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    y = __hiloint2double(__double2hiint(y), 1);
    double e = __fma_rn(-a, y, 1.0);
    e = __fma_rn(e, e, e);
    y = __fma_rn(y, e, y);
    return __fma_rn(y, __fma_rn(-a, y, 1.0), y);
}

// a / b, rounded to nearest even, bit by bit.
__device__ __forceinline__ double rare_quotient_f64(double a, double b) {
    const unsigned long long infinite = 0x7ff0000000000000ull, one = 0x0010000000000000ull;
    unsigned long long m = (unsigned long long)__double_as_longlong(fabs(a));
    unsigned long long n = (unsigned long long)__double_as_longlong(fabs(b));
    const long long sign = (__double_as_longlong(a) ^ __double_as_longlong(b)) & (long long)(1ull << 63);
    if (m > infinite || n > infinite || m == n && (m == 0 || m == infinite)) {
        return __longlong_as_double(0x7fffffffffffffffll);
    }
    if (m == 0 || n == infinite) return __longlong_as_double(sign);
    if (n == 0 || m == infinite) return __longlong_as_double(sign | (long long)infinite);
    // Both with their leading bit in place 52.
    const int left = max(__clzll((long long)m) - 11, 0), right = max(__clzll((long long)n) - 11, 0);
    int exponent = 1023 + (max((int)(m >> 52), 1) - left) - (max((int)(n >> 52), 1) - right);
    m = (left > 0 ? m << left : m & (one - 1) | one);
    n = (right > 0 ? n << right : n & (one - 1) | one);
    if (m < n) {
        m <<= 1;
        --exponent;
    }
    // 53 bits, one to round by, and one that says whether anything is left.
    unsigned long long q = 0;
    #pragma unroll 1
    for (int k = 0; k < 54; ++k) {
        const bool fits = m >= n;
        q = q << 1 | fits;
        m = (fits ? m - n : m) << 1;
    }
    q = q << 1 | (m != 0);
    if (exponent <= 0) {
        const int down = min(1 - exponent, 60);
        q = q >> down | ((q & ((1ull << down) - 1)) != 0);
        exponent = 0;
    } else {
        --exponent;
    }
    q = (q >> 2) + ((q & 3) + (q >> 2 & 1) > 2);
    q += (unsigned long long)min(exponent, 2046) << 52;
    return __longlong_as_double(sign | (long long)min(q, infinite));
}

// a / b, rounded to nearest even.
__device__ __forceinline__ double quotient_f64(double a, double b) {
    const double y = value::near_reciprocal_f64(b);
    const double q = __dmul_rn(a, y);
    const double r = __fma_rn(__fma_rn(-b, q, a), y, q);
    // Then nothing was subnormal or infinite on the way.
    if (fabs(a) >= 0x1p-960 && fabs(b) <= 0x1p1020 && fabs(r) >= 0x1p-1020) return r;
    return value::rare_quotient_f64(a, b);
}

// The square root of a, rounded to nearest even, if a is at least 2^-970.
__device__ __forceinline__ double near_root_f64(double a) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    y = __hiloint2double(__double2hiint(y), __double2hiint(a) - 0x03500000);
    const double e = __fma_rn(a, -__dmul_rn(y, y), 1.0);
    y = __fma_rn(__fma_rn(e, 0.375, 0.5), __dmul_rn(y, e), y);
    const double g = __dmul_rn(a, y);
    return __fma_rn(__fma_rn(-g, g, a), __dmul_rn(y, 0.5), g);
}

// The square root of a, rounded to nearest even.
__device__ __forceinline__ double root_f64(double a) {
    if ((unsigned)__double2hiint(a) - 0x03500000u < 0x7ca00000u) return value::near_root_f64(a);
    if (a == 0.0 || a == __longlong_as_double(0x7ff0000000000000ll)) return a;
    return __dmul_rn(value::near_root_f64(__dmul_rn(a, 0x1p256)), 0x1p-128);
}

// 1 / a, rounded to nearest even.
__device__ __forceinline__ double reciprocal_f64(double a) {
    const double r = value::near_reciprocal_f64(a);
    if (fabs(a) <= 0x1p1020 && fabs(r) >= 0x1p-1020) return r;
    return value::rare_quotient_f64(1.0, a);
}

}  // namespace value

