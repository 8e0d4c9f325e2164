package dev.tilewright.spark.plan;

import dev.tilewright.layout.ElementType;
import dev.tilewright.spark.batch.RowColumn;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The columns of some data by name, as Spark compares names.
 *
 * @param schema of the data
 * @param isCaseSensitive whether {@code x} and {@code X} are two names
 */
public record ColumnLookup(StructType schema, boolean isCaseSensitive) {

    /** Whether Spark takes these for one name. */
    public boolean same(String one, String other) {
        return isCaseSensitive ? one.equals(other) : one.equalsIgnoreCase(other);
    }

    /**
     * The place of a column that has what a tensor takes.
     *
     * @throws IllegalArgumentException if it does not, or there is no such column, or more than one
     */
    public int require(RowColumn column) {
        int[] places = IntStream.range(0, schema.size()).filter(i -> same(schema.fieldNames()[i], column.column()))
                .toArray();
        if (places.length == 0) {
            throw new IllegalArgumentException("there is no column '" + column.column() + "' for tensor '"
                    + column.tensor() + "', but " + List.of(schema.fieldNames()) + ": name the column that it is");
        }
        if (places.length > 1) {
            throw new IllegalArgumentException("there are " + places.length + " columns '" + column.column()
                    + "', and tensor '" + column.tensor() + "' takes one: rename the others, or leave them out");
        }
        StructField field = schema.fields()[places[0]];
        if (!ColumnTypes.fits(field.dataType(), column.type(), column.isArray())) {
            throw new IllegalArgumentException("column '" + column.column() + "' is " + field.dataType().catalogString()
                    + ", and tensor '" + column.tensor() + "' takes " + ColumnTypes.of(column.type(), column.isArray())
                    .catalogString() + ": " + remedy(field.dataType(), column));
        }
        return places[0];
    }

    /** @throws IllegalArgumentException if there is a column with the name of one that is to be written */
    public void requireFree(RowColumn column, String kernel) {
        if (List.of(schema.fieldNames()).stream().anyMatch(name -> same(name, column.column()))) {
            throw new IllegalArgumentException("there is a column '" + column.column() + "', and kernel '" + kernel
                    + "' would write another: give tensor '" + column.tensor() + "' one with another name");
        }
    }

    private static String remedy(DataType from, RowColumn column) {
        if (column.type() == ElementType.F16 || column.type() == ElementType.BF16) {
            return "its elements are the bits of " + column.type() + ", which no cast gives: let the kernel take "
                    + "F32 and convert that itself, with to(…)";
        }
        DataType element = ColumnTypes.of(column.type());
        DataType wanted = column.isArray() ? DataTypes.createArrayType(element) : element;
        String name = "select col(\"" + column.column() + "\")";
        if (isCast(from, wanted)) {
            return name + ".cast(\"" + wanted.catalogString() + "\")";
        }
        if (column.isArray() && isCast(from, element)) {
            return "select array(col(\"" + column.column() + "\").cast(\"" + element.catalogString() + "\")), or the "
                    + "column that has arrays";
        }
        if (!column.isArray() && from instanceof ArrayType array && isCast(array.elementType(), element)) {
            return "select one element of it, or use a kernel whose tensor has a dimension beside rows";
        }
        return "select a column of numbers";
    }

    private static boolean isCast(DataType from, DataType to) {
        return Cast$.MODULE$.canAnsiCast(from, to);
    }
}
