package dev.tilewright.verify;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a tile kernel's result must be, computed with no tiles at all: the step applied to the elements of one place
 * after another. It shares nothing with the kernels but the meaning of a step: predefined steps are computed in Java's
 * own arithmetic, any other by going through its values with {@link DirectValue}.
 */
public final class DirectStep {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private DirectStep() { }

    /** What becomes of the bits of elements. */
    private interface OnBits {
        long apply(long[] elements);
    }

    /**
     * Writes the result of a step with at most one scalar for every element of the input, whole elements, to an output
     * of the same size and type.
     */
    public static void apply(ElementStep step, ElementType type, long scalarBits, MemorySegment input,
            MemorySegment output) {
        if (step.keepsBits(type, type)) {
            output.copyFrom(input);
        } else if (ElementStep.CONSTANTS.contains(step)) {
            write(type, type, List.of(input), output, x -> ElementMath.apply(step, type, x[0], scalarBits));
        } else {
            List<Parameter.Scalar> scalars = step.typed(type, type).scalars();
            apply(step, type, type, scalars.isEmpty() ? Map.of() : Map.of(scalars.getFirst(), scalarBits),
                    List.of(input), output);
        }
    }

    /**
     * Writes the result of any step for the elements of the inputs.
     *
     * @param from type of the inputs' elements
     * @param to type of the output's
     * @param scalars the bits of each of the step's
     * @param inputs as many as the step takes, of one size, whole elements
     * @param output as many elements
     */
    public static void apply(ElementStep step, ElementType from, ElementType to, Map<Parameter.Scalar, Long> scalars,
            List<MemorySegment> inputs, MemorySegment output) {
        ElementStep.Typed typed = step.typed(from, to);
        List<Long> arguments = new ArrayList<>();
        typed.scalars().forEach(scalar -> arguments.add(scalars.get(scalar)));
        write(from, to, inputs, output, x -> {
            List<Long> words = new ArrayList<>();
            for (long element : x) {
                words.add(element);
            }
            words.addAll(arguments);
            return DirectValue.call(typed.function(), words);
        });
    }

    private static void write(ElementType from, ElementType to, List<MemorySegment> inputs, MemorySegment output,
            OnBits step) {
        long[] elements = new long[inputs.size()];
        for (long i = 0; i < output.byteSize() / to.bytes(); i++) {
            for (int k = 0; k < elements.length; k++) {
                elements[k] = get(inputs.get(k), i * from.bytes(), from.bytes());
            }
            set(output, i * to.bytes(), to.bytes(), step.apply(elements));
        }
    }

    private static long get(MemorySegment memory, long at, int bytes) {
        return switch (bytes) {
            case 1 -> memory.get(ValueLayout.JAVA_BYTE, at) & 0xFFL;
            case 2 -> memory.get(SHORT, at) & 0xFFFFL;
            case 4 -> memory.get(INT, at) & 0xFFFFFFFFL;
            default -> memory.get(LONG, at);
        };
    }

    private static void set(MemorySegment memory, long at, int bytes, long bits) {
        switch (bytes) {
            case 1 -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) bits);
            case 2 -> memory.set(SHORT, at, (short) bits);
            case 4 -> memory.set(INT, at, (int) bits);
            default -> memory.set(LONG, at, bits);
        }
    }
}
