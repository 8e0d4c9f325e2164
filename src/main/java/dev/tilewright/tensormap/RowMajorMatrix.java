package dev.tilewright.tensormap;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.layout.Saturating;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * A tensor map of the common case: boxes of a matrix whose rows are consecutive in memory. Everything that is not given
 * is chosen here, and {@link #choices} says what was chosen.
 *
 * @param map the description
 * @param choices what was filled in, one sentence each
 */
public record RowMajorMatrix(TiledTensorMap map, List<String> choices) {

    public RowMajorMatrix {
        NotNull.all("map, choices", map, choices);
        choices = List.copyOf(choices);
    }

    /**
     * A dense matrix, and the smallest swizzle whose span holds a row of the box: none if the row is longer than 128
     * bytes.
     *
     * @param rows rows of the matrix
     * @param columns columns of the matrix; elements of a row lie side by side
     * @param boxRows rows that one copy takes
     * @param boxColumns columns that one copy takes
     * @throws TensorMapException with every rule that this breaks on {@code target}
     */
    public static RowMajorMatrix of(TensorDataType type, long rows, long columns, long boxRows, long boxColumns,
            Target target) {
        NotNull.all("type, target", type, target);
        long rowBytes = Saturating.multiply(boxColumns, type.bytes());
        Swizzle swizzle = rowBytes <= 16 || rowBytes > 128 ? Swizzle.NONE
                : rowBytes <= 32 ? Swizzle.B32 : rowBytes <= 64 ? Swizzle.B64 : Swizzle.B128;
        RowMajorMatrix matrix = of(type, rows, columns, boxRows, boxColumns, swizzle, target);
        List<String> choices = new ArrayList<>(matrix.choices());
        choices.add("swizzle " + swizzle + ": rows of the box are " + Counted.of(rowBytes, "byte")
                + (swizzle == Swizzle.NONE ? rowBytes > 128 ? ", longer than the widest span" : ", one chunk" : ""));
        return new RowMajorMatrix(matrix.map(), choices);
    }

    /** A dense matrix with a swizzle that was chosen by the caller. */
    public static RowMajorMatrix of(TensorDataType type, long rows, long columns, long boxRows, long boxColumns,
            Swizzle swizzle, Target target) {
        NotNull.all("type, swizzle, target", type, swizzle, target);
        long pitch = Saturating.multiply(columns, type.bytes());
        TiledTensorMap map = TiledTensorMap.outermostFirst(type)
                .shape(rows, columns)
                .stridesInBytes(pitch)
                .box(boxRows, boxColumns)
                .swizzle(swizzle)
                .build(target);
        return new RowMajorMatrix(map, List.of(
                "row stride " + Counted.of(pitch, "byte") + ": " + columns + " columns of " + type.bytes()
                        + (type.bytes() == 1 ? " byte" : " bytes") + ", no padding",
                "every element of the box is taken: element strides 1",
                "interleave none, L2 promotion none, out of bounds zeros"));
    }
}
