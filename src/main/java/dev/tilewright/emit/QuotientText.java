package dev.tilewright.emit;

import dev.tilewright.program.value.ValueType;
import java.util.List;

/**
 * Quotients, reciprocals and square roots of f32 and f64 in C++, rounded once, to nearest even, and quotients of
 * integers of 64 bits, without a call. Of {@code div.rn}, {@code rcp.rn}, {@code sqrt.rn}, {@code div.u64} and
 * {@code div.s64} ptxas makes a fast path, and calls a subroutine for the numbers that this does not take. Where
 * registers are short, the subroutine may overwrite one that the kernel holds (docs/verify-findings.md). The fast paths
 * here are the compiler's own: a guess, Newton's method, and a correction by the remainder. Numbers that these do not
 * take are computed in place.
 */
record QuotientText(DeviceFunctions functions) {
    private static final String IN_RANGE = "// Then nothing was subnormal or infinite on the way.";

    String quotient(ValueType type, String a, String b) {
        return type == ValueType.F64 ? functions.call("double quotient_f64(double a, double b)",
                "a / b, rounded to nearest even.", List.of(
                "const double y = " + nearReciprocalF64("b") + ";",
                "const double q = __dmul_rn(a, y);",
                "const double r = __fma_rn(__fma_rn(-b, q, a), y, q);",
                IN_RANGE,
                "if (fabs(a) >= 0x1p-960 && fabs(b) <= 0x1p1020 && fabs(r) >= 0x1p-1020) return r;",
                "return " + rareQuotientF64("a", "b") + ";"), a, b)
                : functions.call("float quotient_f32(float a, float b)", "a / b, rounded to nearest even.", List.of(
                "const float y = " + nearReciprocalF32("b") + ";",
                "const float q = __fmul_rn(a, y);",
                "const float r = __fmaf_rn(__fmaf_rn(-b, q, a), y, q);",
                IN_RANGE,
                "if (fabsf(a) >= 0x1p-100f && fabsf(r) >= 0x1p-125f) return r;",
                "return " + rareQuotientF32("a", "b") + ";"), a, b);
    }

    String reciprocal(ValueType type, String a) {
        return type == ValueType.F64 ? functions.call("double reciprocal_f64(double a)",
                "1 / a, rounded to nearest even.", List.of(
                "const double r = " + nearReciprocalF64("a") + ";",
                "if (fabs(a) <= 0x1p1020 && fabs(r) >= 0x1p-1020) return r;",
                "return " + rareQuotientF64("1.0", "a") + ";"), a)
                : functions.call("float reciprocal_f32(float a)", "1 / a, rounded to nearest even.", List.of(
                "const float r = " + nearReciprocalF32("a") + ";",
                "if (fabsf(r) >= 0x1p-125f) return r;",
                "return " + rareQuotientF32("1.0f", "a") + ";"), a);
    }

    /** The square root of a number far below 1 is that of the number times a power of 4. */
    String root(ValueType type, String a) {
        return type == ValueType.F64 ? functions.call("double root_f64(double a)",
                "The square root of a, rounded to nearest even.", List.of(
                "if ((unsigned)__double2hiint(a) - 0x03500000u < 0x7ca00000u) return " + nearRootF64("a") + ";",
                "if (a == 0.0 || a == __longlong_as_double(0x7ff0000000000000ll)) return a;",
                "return __dmul_rn(" + nearRootF64("__dmul_rn(a, 0x1p256)") + ", 0x1p-128);"), a)
                : functions.call("float root_f32(float a)", "The square root of a, rounded to nearest even.", List.of(
                "if (__float_as_uint(a) - 0x0d000000u < 0x72800000u) return " + nearRootF32("a") + ";",
                "if (a == 0.0f || a == __int_as_float(0x7f800000)) return a;",
                "return __fmul_rn(" + nearRootF32("__fmul_rn(a, 0x1p64f)") + ", 0x1p-32f);"), a);
    }

    /** One over a number from 2^-126 to 2^126, rounded to nearest even ({@code quotients.log}: every one was tried). */
    String nearReciprocalF32(String a) {
        return functions.call("float near_reciprocal_f32(float a)",
                "1 / a, rounded to nearest even, if a is from 2^-126 to 2^126; else less, or a NaN.", List.of(
                "float r;",
                "asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));",
                "return __fmaf_rn(__fmaf_rn(-a, r, 1.0f), r, r);"), a);
    }

    private String nearReciprocalF64(String a) {
        return functions.call("double near_reciprocal_f64(double a)",
                "1 / a, rounded to nearest even, if a is from 2^-1022 to 2^1020.", List.of(
                "double y;",
                "asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(y) : \"d\"(a));",
                "y = __hiloint2double(__double2hiint(y), 1);",
                "double e = __fma_rn(-a, y, 1.0);",
                "e = __fma_rn(e, e, e);",
                "y = __fma_rn(y, e, y);",
                "return __fma_rn(y, __fma_rn(-a, y, 1.0), y);"), a);
    }

    private String nearRootF32(String a) {
        return functions.call("float near_root_f32(float a)",
                "The square root of a, rounded to nearest even, if a is at least 2^-101.", List.of(
                "float y;",
                "asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(a));",
                "const float g = __fmul_rn(a, y);",
                "return __fmaf_rn(__fmaf_rn(-g, g, a), __fmul_rn(y, 0.5f), g);"), a);
    }

    private String nearRootF64(String a) {
        return functions.call("double near_root_f64(double a)",
                "The square root of a, rounded to nearest even, if a is at least 2^-970.", List.of(
                "double y;",
                "asm(\"rsqrt.approx.ftz.f64 %0, %1;\" : \"=d\"(y) : \"d\"(a));",
                "y = __hiloint2double(__double2hiint(y), __double2hiint(a) - 0x03500000);",
                "const double e = __fma_rn(a, -__dmul_rn(y, y), 1.0);",
                "y = __fma_rn(__fma_rn(e, 0.375, 0.5), __dmul_rn(y, e), y);",
                "const double g = __dmul_rn(a, y);",
                "return __fma_rn(__fma_rn(-g, g, a), __dmul_rn(y, 0.5), g);"), a);
    }

    /** Two quotients of f64 that are too small by little; of numbers of 32 bits, as most are, the compiler's. */
    String quotientU64(String a, String b) {
        String rare = functions.call("unsigned long long rare_quotient_u64(unsigned long long a, unsigned long long b)",
                "a / b by two quotients of f64, neither of which is too great.", List.of(
                "const double y = __dmul_rz(" + nearReciprocalF64("__ull2double_ru(b)") + ", 1.0 - 0x1p-50);",
                "const unsigned long long q = __double2ull_rz(__dmul_rz(__ull2double_rz(a), y));",
                "const unsigned long long left = a - q * b;",
                "const unsigned long long p = __double2ull_rz(__dmul_rz(__ull2double_rz(left), y));",
                "return q + p + (left - p * b >= b);"), "a", "b");
        return functions.call("unsigned long long quotient_u64(unsigned long long a, unsigned long long b)", "",
                List.of("if ((a | b) >> 32 == 0) return (unsigned)a / (unsigned)b;", "return " + rare + ";"), a, b);
    }

    /** That of the sizes, with its sign, which is also right of the most negative number and -1. */
    String quotientI64(String a, String b) {
        return functions.call("long long quotient_i64(long long a, long long b)", "", List.of(
                "const unsigned long long m = a < 0 ? 0ull - (unsigned long long)a : (unsigned long long)a;",
                "const unsigned long long n = b < 0 ? 0ull - (unsigned long long)b : (unsigned long long)b;",
                "const unsigned long long q = " + quotientU64("m", "n") + ";",
                "return (long long)((a ^ b) < 0 ? 0ull - q : q);"), a, b);
    }

    /** Rounding twice is rounding once, as f64 has 2 * 24 + 2 bits and more; where f64 has the quotient, r is it. */
    private String rareQuotientF32(String a, String b) {
        return functions.call("float rare_quotient_f32(float a, float b)",
                "a / b, rounded to nearest even, in f64, where no number of f32 is subnormal.", List.of(
                "const double x = a, d = b;",
                "double y;",
                "asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(y) : \"d\"(d));",
                "const double guess = __dmul_rn(x, y);",
                "double e = __fma_rn(-d, y, 1.0);",
                "e = __fma_rn(e, e, e);",
                "y = __fma_rn(y, e, y);",
                "const double q = __dmul_rn(x, y);",
                "const double r = __fma_rn(__fma_rn(-d, q, x), y, q);",
                "// The guess is right of 0, infinity and NaN, where the steps after it are not.",
                "const float rounded = __double2float_rn(fabs(r) > 0.0 ? r : guess);",
                "return rounded == rounded ? rounded : __int_as_float(0x7fffffff);"), a, b);
    }

    private String rareQuotientF64(String a, String b) {
        return functions.call("double rare_quotient_f64(double a, double b)",
                "a / b, rounded to nearest even, bit by bit.", List.of(
                "const unsigned long long infinite = 0x7ff0000000000000ull, one = 0x0010000000000000ull;",
                "unsigned long long m = (unsigned long long)__double_as_longlong(fabs(a));",
                "unsigned long long n = (unsigned long long)__double_as_longlong(fabs(b));",
                "const long long sign = (__double_as_longlong(a) ^ __double_as_longlong(b)) & (long long)(1ull << 63);",
                "if (m > infinite || n > infinite || m == n && (m == 0 || m == infinite)) {",
                "    return __longlong_as_double(0x7fffffffffffffffll);",
                "}",
                "if (m == 0 || n == infinite) return __longlong_as_double(sign);",
                "if (n == 0 || m == infinite) return __longlong_as_double(sign | (long long)infinite);",
                "// Both with their leading bit in place 52.",
                "const int left = max(__clzll((long long)m) - 11, 0), right = max(__clzll((long long)n) - 11, 0);",
                "int exponent = 1023 + (max((int)(m >> 52), 1) - left) - (max((int)(n >> 52), 1) - right);",
                "m = (left > 0 ? m << left : m & (one - 1) | one);",
                "n = (right > 0 ? n << right : n & (one - 1) | one);",
                "if (m < n) {",
                "    m <<= 1;",
                "    --exponent;",
                "}",
                "// 53 bits, one to round by, and one that says whether anything is left.",
                "unsigned long long q = 0;",
                "#pragma unroll 1",
                "for (int k = 0; k < 54; ++k) {",
                "    const bool fits = m >= n;",
                "    q = q << 1 | fits;",
                "    m = (fits ? m - n : m) << 1;",
                "}",
                "q = q << 1 | (m != 0);",
                "if (exponent <= 0) {",
                "    const int down = min(1 - exponent, 60);",
                "    q = q >> down | ((q & ((1ull << down) - 1)) != 0);",
                "    exponent = 0;",
                "} else {",
                "    --exponent;",
                "}",
                "q = (q >> 2) + ((q & 3) + (q >> 2 & 1) > 2);",
                "q += (unsigned long long)min(exponent, 2046) << 52;",
                "return __longlong_as_double(sign | (long long)min(q, infinite));"), a, b);
    }
}
