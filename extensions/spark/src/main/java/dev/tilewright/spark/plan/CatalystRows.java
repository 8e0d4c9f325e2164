package dev.tilewright.spark.plan;

import dev.tilewright.layout.ElementType;
import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.batch.RowFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Rows of a dataset as Spark holds them; results are columns behind them. Arrays are copied as they lie, not by
 * element.
 */
public final class CatalystRows implements RowFormat<InternalRow, InternalRow> {
    private static final long serialVersionUID = 1;

    private final DataType[] types;
    private final List<RowColumn> written;
    private final boolean[] binary;
    private transient UnsafeProjection projection;
    private transient JoinedRow joined;

    private CatalystRows(DataType[] types, List<RowColumn> written, boolean[] binary) {
        this.types = types;
        this.written = written;
        this.binary = binary;
    }

    /**
     * @param output columns of the data, then the columns that are written
     * @param columns of the kernel
     */
    static CatalystRows of(Seq<Attribute> output, List<RowColumn> columns) {
        DataType[] types = CollectionConverters.asJava(output).stream().map(Attribute::dataType)
                .toArray(DataType[]::new);
        boolean[] binary = new boolean[types.length];
        for (int i = 0; i < binary.length; i++) {
            binary[i] = types[i].equals(DataTypes.BinaryType);
        }
        return new CatalystRows(types, columns.stream().filter(RowColumn::isWritten).toList(), binary);
    }

    @Override
    public long bytes(InternalRow row) {
        return row instanceof UnsafeRow unsafe ? unsafe.getSizeInBytes() : 0;
    }

    @Override
    public InternalRow kept(InternalRow row) {
        return row.copy();
    }

    @Override
    public boolean isNull(InternalRow row, RowColumn column) {
        return row.isNullAt(column.ordinal()) || column.isArray() && !binary[column.ordinal()]
                && Elements.hasNull(row.getArray(column.ordinal()));
    }

    @Override
    public int length(InternalRow row, RowColumn column) {
        return !column.isArray() ? 1 : binary[column.ordinal()] ? row.getBinary(column.ordinal()).length
                : row.getArray(column.ordinal()).numElements();
    }

    @Override
    public void write(InternalRow row, RowColumn column, MemorySegment to) {
        int ordinal = column.ordinal();
        if (binary[ordinal]) {
            to.copyFrom(MemorySegment.ofArray(row.getBinary(ordinal)));
        } else if (column.isArray()) {
            Elements.copy(row.getArray(ordinal), column.type(), to);
        } else {
            switch (column.type()) {
                case U8, I8 -> to.set(ValueLayout.JAVA_BYTE, 0, row.getByte(ordinal));
                case U16, I16, F16, BF16 -> to.set(ValueLayout.JAVA_SHORT, 0, row.getShort(ordinal));
                case U32, I32 -> to.set(ValueLayout.JAVA_INT, 0, row.getInt(ordinal));
                case U64, I64 -> to.set(ValueLayout.JAVA_LONG, 0, row.getLong(ordinal));
                case F32 -> to.set(ValueLayout.JAVA_FLOAT, 0, row.getFloat(ordinal));
                case F64 -> to.set(ValueLayout.JAVA_DOUBLE, 0, row.getDouble(ordinal));
            }
        }
    }

    @Override
    public InternalRow result(InternalRow row, List<MemorySegment> results) {
        if (projection == null) {
            projection = UnsafeProjection.create(types);
            joined = new JoinedRow();
        }
        GenericInternalRow columns = new GenericInternalRow(written.size());
        for (int i = 0; i < written.size() && results != null; i++) {
            columns.update(i, written.get(i).isArray() ? array(results.get(i), written.get(i).type())
                    : element(results.get(i), written.get(i).type()));
        }
        return projection.apply(joined.apply(row, columns));
    }

    private static Object element(MemorySegment from, ElementType type) {
        return switch (type) {
            case U8, I8 -> from.get(ValueLayout.JAVA_BYTE, 0);
            case U16, I16, F16, BF16 -> from.get(ValueLayout.JAVA_SHORT, 0);
            case U32, I32 -> from.get(ValueLayout.JAVA_INT, 0);
            case U64, I64 -> from.get(ValueLayout.JAVA_LONG, 0);
            case F32 -> from.get(ValueLayout.JAVA_FLOAT, 0);
            case F64 -> from.get(ValueLayout.JAVA_DOUBLE, 0);
        };
    }

    private static ArrayData array(MemorySegment from, ElementType type) {
        int count = Math.toIntExact(from.byteSize() / type.bytes());
        int header = UnsafeArrayData.calculateHeaderPortionInBytes(count);
        byte[] bytes = new byte[Math.ceilDiv(header + Math.toIntExact(from.byteSize()), Long.BYTES) * Long.BYTES];
        MemorySegment to = MemorySegment.ofArray(bytes);
        to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, count);
        MemorySegment.copy(from, 0, to, header, from.byteSize());
        UnsafeArrayData array = new UnsafeArrayData();
        array.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length);
        return array;
    }
}
