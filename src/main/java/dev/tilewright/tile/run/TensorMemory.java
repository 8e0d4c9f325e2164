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

    /**
     * Loads elements that follow each other.
     *
     * @param place of the first, in elements; one below 0 where all are outside
     * @param outside the word of each of those
     */
    void load(long place, Elements to, int at, int n, long outside) {
        if (place < 0) {
            to.fill(at, at + n, outside);
            return;
        }
        ValueType type = tensor.type();
        long offset = place * type.bytes();
        switch (to.kind) {
            case FLOAT -> MemorySegment.copy(memory, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, to.floats, at, n);
            case DOUBLE -> MemorySegment.copy(memory, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, to.doubles, at, n);
            case LONG -> MemorySegment.copy(memory, ValueLayout.JAVA_LONG_UNALIGNED, offset, to.longs, at, n);
            case INT -> ints(type, offset, to.ints, at, n);
        }
    }

    /** Narrow elements are widened in arrays, whose loops the JIT vectorises. */
    private void ints(ValueType type, long offset, int[] to, int at, int n) {
        switch (type.bytes()) {
            case 1 -> {
                byte[] some = new byte[n];
                MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, some, 0, n);
                if (type.isSigned() && type.isInteger()) {
                    for (int k = 0; k < n; k++) {
                        to[at + k] = some[k];
                    }
                } else {
                    for (int k = 0; k < n; k++) {
                        to[at + k] = some[k] & 0xFF;
                    }
                }
            }
            case 2 -> {
                short[] some = new short[n];
                MemorySegment.copy(memory, ValueLayout.JAVA_SHORT_UNALIGNED, offset, some, 0, n);
                if (type.isSigned() && type.isInteger()) {
                    for (int k = 0; k < n; k++) {
                        to[at + k] = some[k];
                    }
                } else {
                    for (int k = 0; k < n; k++) {
                        to[at + k] = some[k] & 0xFFFF;
                    }
                }
            }
            default -> MemorySegment.copy(memory, ValueLayout.JAVA_INT_UNALIGNED, offset, to, at, n);
        }
    }

    /** Stores elements that follow each other, or updates what is there; nothing where the place is below 0. */
    void store(long place, Elements from, int at, int n, Update update) {
        if (place < 0) {
            return;
        }
        ValueType type = tensor.type();
        int bytes = type.bytes();
        long offset = place * bytes;
        if (update.op().isPresent()) {
            LongBinaryOperator op = ValueMath.binary(update.op().get(), type);
            for (int k = 0; k < n; k++) {
                long one = offset + (long) k * bytes;
                setWord(one, op.applyAsLong(word(one), from.word(at + k)));
            }
            return;
        }
        switch (from.kind) {
            case FLOAT -> MemorySegment.copy(from.floats, at, memory, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, n);
            case DOUBLE -> MemorySegment.copy(from.doubles, at, memory, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, n);
            case LONG -> MemorySegment.copy(from.longs, at, memory, ValueLayout.JAVA_LONG_UNALIGNED, offset, n);
            case INT -> {
                switch (bytes) {
                    case 1 -> {
                        byte[] some = new byte[n];
                        for (int k = 0; k < n; k++) {
                            some[k] = (byte) from.ints[at + k];
                        }
                        MemorySegment.copy(some, 0, memory, ValueLayout.JAVA_BYTE, offset, n);
                    }
                    case 2 -> {
                        short[] some = new short[n];
                        for (int k = 0; k < n; k++) {
                            some[k] = (short) from.ints[at + k];
                        }
                        MemorySegment.copy(some, 0, memory, ValueLayout.JAVA_SHORT_UNALIGNED, offset, n);
                    }
                    default -> MemorySegment.copy(from.ints, at, memory, ValueLayout.JAVA_INT_UNALIGNED, offset, n);
                }
            }
        }
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
