package dev.tilewright.spark.executor;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/**
 * A tensor that is the same for all rows.
 *
 * @param bytes its elements, row-major
 * @param shape its extents, outermost first
 */
public record Weight(byte[] bytes, long[] shape) implements Serializable {

    /** The tensors that are the same for all rows, by name: what is broadcast. */
    public record All(Map<String, Weight> byName) implements Serializable { }

    /** @param array one of Java's arrays of numbers */
    public static Weight of(Object array, long[] shape) {
        MemorySegment elements = switch (array) {
            case float[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            case byte[] a -> MemorySegment.ofArray(a);
            default -> throw new IllegalArgumentException("a weight is an array of numbers, got "
                    + array.getClass().getTypeName());
        };
        byte[] bytes = new byte[Math.toIntExact(elements.byteSize())];
        MemorySegment.copy(elements, 0, MemorySegment.ofArray(bytes), 0, bytes.length);
        return new Weight(bytes, shape.clone());
    }

    MemorySegment elements() {
        return MemorySegment.ofArray(bytes);
    }
}
