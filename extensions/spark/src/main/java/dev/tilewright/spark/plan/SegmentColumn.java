package dev.tilewright.spark.plan;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** A column of numbers that lie in memory of any kind, one after the other. */
final class SegmentColumn extends ColumnVector {
    private final MemorySegment elements;
    private final BitSet nulls;

    SegmentColumn(ElementType type, MemorySegment elements, BitSet nulls) {
        super(ColumnTypes.of(type));
        this.elements = elements;
        this.nulls = nulls;
    }

    /** It is the device's memory, which stays. */
    @Override
    public void close() { }

    @Override
    public boolean hasNull() {
        return !nulls.isEmpty();
    }

    @Override
    public int numNulls() {
        return nulls.cardinality();
    }

    @Override
    public boolean isNullAt(int row) {
        return nulls.get(row);
    }

    @Override
    public byte getByte(int row) {
        return elements.getAtIndex(ValueLayout.JAVA_BYTE, row);
    }

    @Override
    public short getShort(int row) {
        return elements.getAtIndex(ValueLayout.JAVA_SHORT, row);
    }

    @Override
    public int getInt(int row) {
        return elements.getAtIndex(ValueLayout.JAVA_INT, row);
    }

    @Override
    public long getLong(int row) {
        return elements.getAtIndex(ValueLayout.JAVA_LONG, row);
    }

    @Override
    public float getFloat(int row) {
        return elements.getAtIndex(ValueLayout.JAVA_FLOAT, row);
    }

    @Override
    public double getDouble(int row) {
        return elements.getAtIndex(ValueLayout.JAVA_DOUBLE, row);
    }

    private static UnsupportedOperationException other() {
        return new UnsupportedOperationException("the column has numbers alone");
    }

    @Override
    public boolean getBoolean(int row) {
        throw other();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw other();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw other();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw other();
    }

    @Override
    public UTF8String getUTF8String(int row) {
        throw other();
    }

    @Override
    public byte[] getBinary(int row) {
        throw other();
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        throw other();
    }

    /** Where its elements lie. */
    MemorySegment elements() {
        return elements;
    }
}
