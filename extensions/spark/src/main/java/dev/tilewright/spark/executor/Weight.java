package dev.tilewright.spark.executor;

import dev.tilewright.spark.batch.ArrayRows;
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
        MemorySegment elements = ArrayRows.elements(array);
        byte[] bytes = new byte[Math.toIntExact(elements.byteSize())];
        MemorySegment.copy(elements, 0, MemorySegment.ofArray(bytes), 0, bytes.length);
        return new Weight(bytes, shape.clone());
    }

    MemorySegment elements() {
        return MemorySegment.ofArray(bytes);
    }
}
