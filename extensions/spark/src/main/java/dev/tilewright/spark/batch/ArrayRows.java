package dev.tilewright.spark.batch;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.List;

/**
 * Rows that are Java's arrays of numbers: one that is read, one that is written.
 *
 * @param <A> what is read, such as {@code float[]}
 * @param <B> what is written
 */
public final class ArrayRows<A, B> implements RowFormat<A, B> {
    private static final long serialVersionUID = 1;

    private final ElementType written;

    /** @param written the type of the elements of results */
    public ArrayRows(ElementType written) {
        this.written = written;
    }

    /** The class of arrays of elements; an element type that Java lacks has integers with the same bits. */
    public static Class<?> classOf(ElementType type) {
        return switch (type) {
            case U8, I8 -> byte[].class;
            case U16, I16, F16, BF16 -> short[].class;
            case U32, I32 -> int[].class;
            case U64, I64 -> long[].class;
            case F32 -> float[].class;
            case F64 -> double[].class;
        };
    }

    /** @throws IllegalArgumentException if it is no array of numbers */
    public static MemorySegment elements(Object array) {
        return switch (array) {
            case float[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            case byte[] a -> MemorySegment.ofArray(a);
            default -> throw new IllegalArgumentException("an array of numbers is needed, got "
                    + array.getClass().getTypeName());
        };
    }

    @Override
    public A kept(A row) {
        return row;
    }

    @Override
    public boolean isNull(A row, RowColumn column) {
        return row == null;
    }

    @Override
    public int length(A row, RowColumn column) {
        return Array.getLength(row);
    }

    @Override
    public void write(A row, RowColumn column, MemorySegment to) {
        if (row.getClass() != classOf(column.type())) {
            throw new IllegalArgumentException("an array of the RDD is " + row.getClass().getTypeName()
                    + ", and what is read was said to be " + classOf(column.type()).getTypeName());
        }
        to.copyFrom(elements(row));
    }

    @Override
    @SuppressWarnings("unchecked") // the class was compared with the type
    public B result(A row, List<MemorySegment> results) {
        if (results == null) {
            return null;
        }
        MemorySegment from = results.getFirst();
        Object array = Array.newInstance(classOf(written).componentType(),
                Math.toIntExact(from.byteSize() / written.bytes()));
        elements(array).copyFrom(from);
        return (B) array;
    }
}
