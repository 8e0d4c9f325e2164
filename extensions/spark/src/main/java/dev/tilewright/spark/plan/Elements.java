package dev.tilewright.spark.plan;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.Platform;

/** The elements of Spark's arrays. */
final class Elements {
    private Elements() { }

    /** Copies them, in one piece where they lie in one. */
    static void copy(ArrayData array, ElementType type, MemorySegment to) {
        if (array instanceof UnsafeArrayData unsafe && unsafe.getBaseObject() instanceof byte[] bytes) {
            long from = unsafe.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET
                    + UnsafeArrayData.calculateHeaderPortionInBytes(unsafe.numElements());
            MemorySegment.copy(MemorySegment.ofArray(bytes), from, to, 0, to.byteSize());
            return;
        }
        to.copyFrom(switch (type) {
            case U8, I8 -> MemorySegment.ofArray(array.toByteArray());
            case U16, I16, F16, BF16 -> MemorySegment.ofArray(array.toShortArray());
            case U32, I32 -> MemorySegment.ofArray(array.toIntArray());
            case U64, I64 -> MemorySegment.ofArray(array.toLongArray());
            case F32 -> MemorySegment.ofArray(array.toFloatArray());
            case F64 -> MemorySegment.ofArray(array.toDoubleArray());
        });
    }

    /** Whether one is null. Spark's own arrays tell by a bit each, in words. */
    static boolean hasNull(ArrayData array) {
        if (array instanceof UnsafeArrayData unsafe) {
            long bits = unsafe.getBaseOffset() + Long.BYTES;
            long end = unsafe.getBaseOffset() + UnsafeArrayData.calculateHeaderPortionInBytes(unsafe.numElements());
            for (long at = bits; at < end; at += Long.BYTES) {
                if (Platform.getLong(unsafe.getBaseObject(), at) != 0) {
                    return true;
                }
            }
            return false;
        }
        for (int i = 0; i < array.numElements(); i++) {
            if (array.isNullAt(i)) {
                return true;
            }
        }
        return false;
    }
}
