package dev.tilewright.verify;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.reference.math.ElementMath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What a tile kernel's result must be, computed with no tiles at all: the step applied to one element after another.
 * It shares nothing with the kernels but the meaning of a step.
 */
public final class DirectStep {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private DirectStep() {
    }

    /** Writes the step's result for every element of the input, whole elements, to an output of the same size. */
    public static void apply(ElementStep step, ElementType type, long scalarBits, MemorySegment input,
            MemorySegment output) {
        if (step == ElementStep.COPY) {
            output.copyFrom(input);
            return;
        }
        int bytes = type.bytes();
        for (long at = 0; at < input.byteSize(); at += bytes) {
            switch (bytes) {
                case 1 -> output.set(ValueLayout.JAVA_BYTE, at, (byte) ElementMath.apply(step, type,
                        input.get(ValueLayout.JAVA_BYTE, at) & 0xFFL, scalarBits));
                case 2 -> output.set(SHORT, at,
                        (short) ElementMath.apply(step, type, input.get(SHORT, at) & 0xFFFFL, scalarBits));
                case 4 -> output.set(INT, at,
                        (int) ElementMath.apply(step, type, input.get(INT, at) & 0xFFFFFFFFL, scalarBits));
                default -> output.set(LONG, at, ElementMath.apply(step, type, input.get(LONG, at), scalarBits));
            }
        }
    }
}
