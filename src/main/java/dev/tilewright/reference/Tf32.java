package dev.tilewright.reference;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * TF32 rounding, as a load through a TFLOAT32 or TFLOAT32_FTZ tensor map does it (measured on an H200): a binary32 is
 * rounded to 10 mantissa bits, to nearest, ties to even; every NaN becomes 0x7FFFE000; infinities, zeros and
 * subnormals follow the same rounding.
 */
final class Tf32 {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int NAN = 0x7FFFE000;
    private static final int DROPPED = 0x1FFF;

    private Tf32() {
    }

    /** Without a branch, so that a loop over it can be done several words at a time. */
    static int round(int bits) {
        int nan = 0x7F80_0000 - (bits & 0x7FFF_FFFF) >> 31;
        int lowestKept = bits >>> 13 & 1;
        int rounded = bits + (DROPPED >>> 1) + lowestKept & ~DROPPED;
        return rounded & ~nan | NAN & nan;
    }

    /** Rounds words in place. @param first a multiple of 4, as {@code end} is */
    static void round(byte[] bytes, int first, int end) {
        for (int i = first; i < end; i += Integer.BYTES) {
            INT.set(bytes, i, round((int) INT.get(bytes, i)));
        }
    }
}
