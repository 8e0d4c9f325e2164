package dev.tilewright.emit;

import java.util.Set;

/**
 * What NVRTC declares without a header, or PTX keeps for itself: a kernel, a constant or a procedure of such a name
 * does not compile, so that generated code numbers it. Parameters and variables hide these names.
 *
 * <p>Found by compiling each identifier that NVRTC's libraries and the C library have within them, with NVRTC 12.9, as
 * a kernel, a constant and a function. The names of C's headers are here too, where they are free.
 */
final class CompilerNames {

    static final Set<String> ALL = Set.of("""
            abort abs acos acosf acosh acoshf all alloca any asin asinf asinh asinhf assert atan atan2 atan2f
            atanf atanh atanhf ballot calloc cbrt cbrtf ceil ceilf clock clock64 clock_t cooperative_groups
            copysign copysignf cos cosf cosh coshf cospi cospif cuda cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1
            cyl_bessel_i1f dadd dim3 dmul double2int double2ll double2uint double2ull dsub erf erfc erfcf
            erfcinv erfcinvf erfcx erfcxf erff erfinv erfinvf exit exp exp10 exp10f exp2 exp2f expf expm1 expm1f
            fabs fabsf fdim fdimf fdivide fdividef float2double floor floorf fma fmaf fmax fmaxf fmin fminf fmod
            fmodf free frexp frexpf function_name hypot hypotf ilogb ilogbf inlined_at int16_t int2double
            int32_t int64_t int8_t intptr_t isfinite isinf isnan j0 j0f j1 j1f jn jnf labs ldexp ldexpf lgamma
            lgammaf ll2double llabs llrint llrintf llround llroundf log log10 log10f log1p log1pf log2 log2f
            logb logbf logf lrint lrintf lround lroundf main make_char1 make_char2 make_char3 make_char4
            make_double1 make_double2 make_double3 make_double4 make_float1 make_float2 make_float3 make_float4
            make_int1 make_int2 make_int3 make_int4 make_long1 make_long2 make_long3 make_long4 make_longlong1
            make_longlong2 make_longlong3 make_longlong4 make_short1 make_short2 make_short3 make_short4
            make_uchar1 make_uchar2 make_uchar3 make_uchar4 make_uint1 make_uint2 make_uint3 make_uint4
            make_ulong1 make_ulong2 make_ulong3 make_ulong4 make_ulonglong1 make_ulonglong2 make_ulonglong3
            make_ulonglong4 make_ushort1 make_ushort2 make_ushort3 make_ushort4 malloc memcmp memcpy memmove
            memset modf modff nan nanf nearbyint nearbyintf nextafter nextafterf norm norm3d norm3df norm4d
            norm4df normcdf normcdff normcdfinv normcdfinvf nullptr_t nv nvcuda offsetof pow powf printf
            ptrdiff_t puts rcbrt rcbrtf realloc remainder remainderf remquo remquof rhypot rhypotf rint rintf
            rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf round roundf rsqrt rsqrtf scalbln scalblnf scalbn
            scalbnf signbit sin sincos sincosf sincospi sincospif sinf sinh sinhf sinpi sinpif size_t sqrt sqrtf
            std strcmp strlen tan tanf tanh tanhf tgamma tgammaf trunc truncf uint16_t uint2double uint32_t
            uint64_t uint8_t uintptr_t ull2double ullmax ullmin umax umin va_arg va_copy va_end va_list va_start
            wint_t y0 y0f y1 y1f yn ynf
            """.strip().split("\\s+"));

    private CompilerNames() {
    }
}
