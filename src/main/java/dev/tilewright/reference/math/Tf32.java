package dev.tilewright.reference.math;

import dev.tilewright.layout.FloatBits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** TF32 rounding of words in shared memory, as a load through a TFLOAT32 or TFLOAT32_FTZ tensor map does it. */
public final class Tf32 {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Tf32() { }

    /** Rounds words in place. @param first a multiple of 4, as {@code end} is */
    public static void round(byte[] bytes, int first, int end) {
        for (int i = first; i < end; i += Integer.BYTES) {
            INT.set(bytes, i, FloatBits.toTf32((int) INT.get(bytes, i)));
        }
    }
}
