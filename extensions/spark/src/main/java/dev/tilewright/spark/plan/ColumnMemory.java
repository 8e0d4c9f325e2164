package dev.tilewright.spark.plan;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Where the elements of Spark's columns lie. */
final class ColumnMemory {
    private ColumnMemory() { }

    /** The first rows: of Arrow's and off-heap columns the memory itself, of others a copy. */
    static MemorySegment of(ColumnVector column, ElementType type, int rows) {
        long bytes = (long) rows * type.bytes();
        return switch (column) {
            case SegmentColumn own -> own.elements().asSlice(0, bytes);
            case OffHeapColumnVector vector when !vector.hasDictionary() ->
                    at(vector.valuesNativeAddress(), bytes);
            case ArrowColumnVector arrow when arrow.getValueVector() instanceof BaseFixedWidthVector vector ->
                    at(vector.getDataBuffer().memoryAddress(), bytes, vector.getDataBuffer().capacity());
            default -> copied(column, type, rows);
        };
    }

    private static MemorySegment at(long address, long bytes, long capacity) {
        if (bytes > capacity) {
            throw new IllegalArgumentException("a batch says that it has " + bytes + " bytes of a column of Arrow that "
                    + "has " + capacity);
        }
        return at(address, bytes);
    }

    private static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    private static MemorySegment copied(ColumnVector column, ElementType type, int rows) {
        // What lies in the place of a null may be anything, and getters of one element may refuse it.
        long[] words = new long[Math.toIntExact(Math.ceilDiv((long) rows * type.bytes(), Long.BYTES))];
        MemorySegment to = MemorySegment.ofArray(words);
        for (int i = 0; i < rows; i++) {
            if (!column.isNullAt(i)) {
                switch (type) {
                    case U8, I8 -> to.setAtIndex(ValueLayout.JAVA_BYTE, i, column.getByte(i));
                    case U16, I16, F16, BF16 -> to.setAtIndex(ValueLayout.JAVA_SHORT, i, column.getShort(i));
                    case U32, I32 -> to.setAtIndex(ValueLayout.JAVA_INT, i, column.getInt(i));
                    case U64, I64 -> to.setAtIndex(ValueLayout.JAVA_LONG, i, column.getLong(i));
                    case F32 -> to.setAtIndex(ValueLayout.JAVA_FLOAT, i, column.getFloat(i));
                    case F64 -> to.setAtIndex(ValueLayout.JAVA_DOUBLE, i, column.getDouble(i));
                }
            }
        }
        return to.asSlice(0, (long) rows * type.bytes());
    }
}
