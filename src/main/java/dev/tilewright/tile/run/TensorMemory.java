package dev.tilewright.tile.run;

import dev.tilewright.program.value.ValueMath;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Update;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
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

    /** Loads a tile. @param outside the word of each element that is not in the tensor */
    void load(Places places, Elements to, long outside) {
        switch (tensor.type().bytes()) {
            case 1 -> {
                byte[] some = new byte[to.count()];
                places.forEachRun((place, at, n) -> {
                    if (place < 0) {
                        Arrays.fill(some, at, at + n, (byte) outside);
                    } else {
                        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, place, some, at, n);
                    }
                });
                widen(some, to.ints);
            }
            case 2 -> {
                short[] some = new short[to.count()];
                places.forEachRun((place, at, n) -> {
                    if (place < 0) {
                        Arrays.fill(some, at, at + n, (short) outside);
                    } else {
                        MemorySegment.copy(memory, ValueLayout.JAVA_SHORT_UNALIGNED, 2 * place, some, at, n);
                    }
                });
                widen(some, to.ints);
            }
            default -> places.forEachRun((place, at, n) -> load(place, to, at, n, outside));
        }
    }

    private void load(long place, Elements to, int at, int n, long outside) {
        if (place < 0) {
            to.fill(at, at + n, outside);
            return;
        }
        MemorySegment.copy(memory, layout(to.kind), place * tensor.type().bytes(), to.array(), at, n);
    }

    private static ValueLayout layout(Elements.Kind kind) {
        return switch (kind) {
            case FLOAT -> ValueLayout.JAVA_FLOAT_UNALIGNED;
            case DOUBLE -> ValueLayout.JAVA_DOUBLE_UNALIGNED;
            case LONG -> ValueLayout.JAVA_LONG_UNALIGNED;
            case INT -> ValueLayout.JAVA_INT_UNALIGNED;
        };
    }

    private boolean isSigned() {
        return tensor.type().isSigned() && tensor.type().isInteger();
    }

    private void widen(byte[] from, int[] to) {
        if (isSigned()) {
            for (int k = 0; k < from.length; k++) {
                to[k] = from[k];
            }
        } else {
            for (int k = 0; k < from.length; k++) {
                to[k] = from[k] & 0xFF;
            }
        }
    }

    private void widen(short[] from, int[] to) {
        if (isSigned()) {
            for (int k = 0; k < from.length; k++) {
                to[k] = from[k];
            }
        } else {
            for (int k = 0; k < from.length; k++) {
                to[k] = from[k] & 0xFFFF;
            }
        }
    }

    /** Stores a tile, or updates what is there; nothing outside the tensor. */
    void store(Places places, Elements from, Update update) {
        if (update.op().isPresent()) {
            LongBinaryOperator op = ValueMath.binary(update.op().get(), tensor.type());
            places.forEachRun((place, at, n) -> {
                for (int k = 0; k < n && place >= 0; k++) {
                    long one = (place + k) * tensor.type().bytes();
                    setWord(one, op.applyAsLong(word(one), from.word(at + k)));
                }
            });
            return;
        }
        switch (tensor.type().bytes()) {
            case 1 -> {
                byte[] some = new byte[from.count()];
                for (int k = 0; k < some.length; k++) {
                    some[k] = (byte) from.ints[k];
                }
                places.forEachRun((place, at, n) -> copy(some, ValueLayout.JAVA_BYTE, place, at, n));
            }
            case 2 -> {
                short[] some = new short[from.count()];
                for (int k = 0; k < some.length; k++) {
                    some[k] = (short) from.ints[k];
                }
                places.forEachRun((place, at, n) -> copy(some, ValueLayout.JAVA_SHORT_UNALIGNED, place, at, n));
            }
            default -> places.forEachRun((place, at, n) -> copy(from.array(), layout(from.kind), place, at, n));
        }
    }

    private void copy(Object from, ValueLayout layout, long place, int at, int n) {
        if (place >= 0) {
            MemorySegment.copy(from, at, memory, layout, place * layout.byteSize(), n);
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
