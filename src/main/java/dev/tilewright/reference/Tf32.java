package dev.tilewright.reference;

/**
 * TF32 rounding, as a load through a TFLOAT32 or TFLOAT32_FTZ tensor map does it (measured on an H200): a binary32 is
 * rounded to 10 mantissa bits, to nearest, ties to even; every NaN becomes 0x7FFFE000; infinities, zeros and
 * subnormals follow the same rounding.
 */
final class Tf32 {
    private static final int NAN = 0x7FFFE000;
    private static final int DROPPED = 0x1FFF;

    private Tf32() {
    }

    static int round(int bits) {
        if ((bits & 0x7FFF_FFFF) > 0x7F80_0000) {
            return NAN;
        }
        int lowestKept = bits >>> 13 & 1;
        return bits + (DROPPED >>> 1) + lowestKept & ~DROPPED;
    }
}
