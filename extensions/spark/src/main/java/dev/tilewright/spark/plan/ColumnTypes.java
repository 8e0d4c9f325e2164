package dev.tilewright.spark.plan;

import dev.tilewright.layout.ElementType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Spark's type of what a tensor's elements are. Types that Spark lacks are the integers of the same width, with the
 * same bits: f16 and bf16 are shorts.
 */
final class ColumnTypes {
    private ColumnTypes() { }

    static DataType of(ElementType type) {
        return switch (type) {
            case U8, I8 -> DataTypes.ByteType;
            case U16, I16, F16, BF16 -> DataTypes.ShortType;
            case U32, I32 -> DataTypes.IntegerType;
            case U64, I64 -> DataTypes.LongType;
            case F32 -> DataTypes.FloatType;
            case F64 -> DataTypes.DoubleType;
        };
    }

    /** The type of a column: of an element, or of an array without nulls. */
    static DataType of(ElementType type, boolean isArray) {
        return isArray ? DataTypes.createArrayType(of(type), false) : of(type);
    }

    /** Whether a column of this type has what a tensor takes; of bytes that may be a binary column. */
    static boolean fits(DataType column, ElementType type, boolean isArray) {
        if (!isArray) {
            return column.equals(of(type));
        }
        return column instanceof ArrayType array && array.elementType().equals(of(type))
                || type.bytes() == 1 && column.equals(DataTypes.BinaryType);
    }
}
