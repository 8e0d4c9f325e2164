package dev.tilewright.tile.kernel;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Objects;

/**
 * Kernels of whole rows: {@code x} and {@code y} are matrices of {@code rows} by {@code columns}. Rows of 16-bit floats
 * are computed in f32, and each result is rounded once.
 *
 * {@snippet :
 * try (Gpu gpu = Gpu.open(); ArrayKernel softmax = gpu.load(RowKernels.softmax(ValueType.F32))) {
 *     softmax.launch().set("x", x, rows, columns).set("y", y, rows, columns).run();
 * }
 * }
 */
public final class RowKernels {
    private RowKernels() {
    }

    /** The type that rows of a type are computed in. */
    private static ValueType arithmetic(ValueType type) {
        return type == ValueType.F64 ? type : ValueType.F32;
    }

    /**
     * Softmax: e to the power of each element less the row's greatest, divided by the sum of these.
     *
     * @param type of the elements: f32, f64, f16 or bf16
     */
    public static TileKernel softmax(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("softmax", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), y = k.out("y", type, rows, columns);
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(arithmetic(type)), e = v.minus(v.max()).exp();
                y.storeRow(row, e.dividedBy(e.sum()).to(type));
            });
        });
    }
}
