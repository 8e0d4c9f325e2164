package my;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;

/** Tile kernels for the command: {@code tilewright explain --class-path FOLDER --program my.Tiles#SOFTMAX}. */
public final class Tiles {
    /** Each row: e to the power of its elements, divided by their sum. */
    public static final TileKernel SOFTMAX = TileKernel.of("softmax", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.in("x", ValueType.F32, rows, columns), y = k.out("y", ValueType.F32, rows, columns);
        k.forEachRow(x, row -> {
            Tile v = x.row(row), e = v.minus(v.max()).exp();
            y.storeRow(row, e.dividedBy(e.sum()));
        });
    });

    /** y = weight a + b, elements apart, with a number that the launch gives. */
    public static final TileKernel WEIGHTED = TileKernel.of("weighted", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor a = k.in("a", ValueType.F32, rows, columns), b = k.in("b", ValueType.F32, rows, columns);
        Tensor y = k.out("y", ValueType.F32, rows, columns);
        Value weight = k.scalar("weight", ValueType.F32);
        k.forEachTile(y, 8, 128, at -> y.store(at, a.tile(at).map(x -> x.times(weight)).plus(b.tile(at))));
    });

    private Tiles() {
    }
}
