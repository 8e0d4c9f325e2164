package dev.tilewright.tile.run;

import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Update;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongBinaryOperator;

/**
 * A tensor's memory in a launch.
 *
 * @param extents of its dimensions, in elements, outermost first
 * @param strides from one place of a dimension to the next, in elements
 */
record TensorMemory(Tensor tensor, MemorySegment memory, List<Long> extents, List<Long> strides) {

    /** A copy, in memory of their own. */
    TensorMemory copy() {
        byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
        return new TensorMemory(tensor, MemorySegment.ofArray(bytes), extents, strides);
    }

    /** Fills a run of elements. @param places of each, in elements; below 0 outside @param outside a word */
    void load(long[] places, Elements to, int at, int n, long outside) {
        ValueType type = tensor.type();
        int bytes = type.bytes();
        for (int k = 0; k < n;) {
            if (places[k] < 0) {
                to.setWord(at + k++, outside);
                continue;
            }
            int run = run(places, k, n);
            long offset = places[k] * bytes;
            switch (type) {
                case F32 -> MemorySegment.copy(memory, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, to.floats, at + k,
                        run);
                case F64 -> MemorySegment.copy(memory, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, to.doubles, at + k,
                        run);
                case I32, U32 -> MemorySegment.copy(memory, ValueLayout.JAVA_INT_UNALIGNED, offset, to.ints, at + k,
                        run);
                case I64, U64 -> MemorySegment.copy(memory, ValueLayout.JAVA_LONG_UNALIGNED, offset, to.longs, at + k,
                        run);
                default -> {
                    for (int r = 0; r < run; r++) {
                        to.ints[at + k + r] = (int) word(offset + (long) r * bytes);
                    }
                }
            }
            k += run;
        }
    }

    /** Stores a run of elements, or updates what is there. */
    void store(long[] places, Elements from, int at, int n, Update update) {
        ValueType type = tensor.type();
        int bytes = type.bytes();
        LongBinaryOperator op = update.op().map(o -> ValueMath.binary(o, type)).orElse(null);
        for (int k = 0; k < n;) {
            if (places[k] < 0) {
                k++;
                continue;
            }
            int run = run(places, k, n);
            long offset = places[k] * bytes;
            if (op == null && type == ValueType.F32) {
                MemorySegment.copy(from.floats, at + k, memory, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, run);
            } else {
                for (int r = 0; r < run; r++) {
                    long place = offset + (long) r * bytes;
                    long word = from.word(at + k + r);
                    setWord(place, op == null ? word : op.applyAsLong(word(place), word));
                }
            }
            k += run;
        }
    }

    private static int run(long[] places, int first, int n) {
        int end = first + 1;
        while (end < n && places[end] == places[end - 1] + 1) {
            end++;
        }
        return end - first;
    }

    private long word(long offset) {
        long bits = switch (tensor.type().bytes()) {
            case 1 -> memory.get(ValueLayout.JAVA_BYTE, offset);
            case 2 -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset);
            case 4 -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
            default -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
        };
        return tensor.type().word(bits);
    }

    private void setWord(long offset, long word) {
        switch (tensor.type().bytes()) {
            case 1 -> memory.set(ValueLayout.JAVA_BYTE, offset, (byte) word);
            case 2 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, (short) word);
            case 4 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, offset, (int) word);
            default -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, word);
        }
    }
}
