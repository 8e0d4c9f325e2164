package dev.tilewright.spark;

import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.F64;
import static dev.tilewright.program.value.ValueType.I32;

import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.RowKernels;

/** Kernels of the tests. */
public final class Kernels {
    public static final TileKernel SOFTMAX = RowKernels.softmax(F32);

    /** One number of a row each, of two types. */
    public static final TileKernel SCALARS = TileKernel.of("scalars", k -> {
        Dim n = k.dim("n");
        Tensor a = k.in("a", F64, n);
        Tensor b = k.in("b", I32, n);
        Tensor c = k.out("c", F64, n);
        Tensor d = k.out("d", I32, n);
        k.forEachTile(c, 128, at -> {
            c.store(at, a.tile(at).plus(b.tile(at).to(F64)));
            d.store(at, b.tile(at).plus(b.tile(at)));
        });
    });

    /** A row times a matrix that all rows share. */
    public static final TileKernel PROJECTION = TileKernel.of("projection", k -> {
        Dim rows = k.dim("rows");
        Dim depth = k.dim("depth");
        Dim columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, depth);
        Tensor w = k.in("w", F32, depth, columns);
        Tensor y = k.out("y", F32, rows, columns);
        k.forEachTile(y, 32, 32, at -> y.store(at, k.fold(k.zeros(F32, 32, 32), k.steps(depth, 16),
                (sum, i) -> sum.mma(x.tile(at.row(), i), w.tile(i, at.column())))));
    });

    /** Twice a number of 16 bits. */
    public static final TileKernel HALVES = TileKernel.of("halves", k -> {
        Dim n = k.dim("n");
        Tensor x = k.in("x", F16, n);
        Tensor y = k.out("y", F16, n);
        k.forEachTile(y, 128, at -> y.store(at, x.tile(at).plus(x.tile(at))));
    });

    /** Reads nothing. */
    public static final TileKernel SEVENS = TileKernel.of("sevens", k -> {
        Dim rows = k.dim("rows");
        Dim columns = k.dim("columns");
        Tensor y = k.out("y", F32, rows, columns);
        k.forEachTile(y, 2, 32, at -> y.store(at, k.zeros(F32, 2, 32).plus(7)));
    });

    /** A number times one that all rows share. */
    public static final TileKernel TIMES = TileKernel.of("times", k -> {
        Dim n = k.dim("n");
        Tensor x = k.in("x", I32, n);
        Tensor y = k.out("y", I32, n);
        Value factor = k.scalar("factor", I32);
        k.forEachTile(y, 128, at -> y.store(at, x.tile(at).map(number -> number.times(factor))));
    });

    /** Adds rows up across each other. */
    public static final TileKernel COLUMN_SUMS = TileKernel.of("column_sums", k -> {
        Dim rows = k.dim("rows");
        Dim columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, columns);
        Tensor y = k.out("y", F32, columns);
        k.forEachTile(y, 32, at -> y.store(at, k.fold(k.zeros(F32, 32), k.steps(rows, 1),
                (sum, i) -> sum.plus(x.tile(i, at.get(0)).sum(0)))));
    });

    private Kernels() { }
}
