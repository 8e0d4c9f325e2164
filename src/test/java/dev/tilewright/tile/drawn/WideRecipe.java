package dev.tilewright.tile.drawn;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import java.util.List;

/** Rows of many thousand elements, normalised by what is taken together of them. */
final class WideRecipe implements Recipe {
    private static final int LEAST = 3000;
    private static final int DOUBLINGS = 6;

    private final Draw draw;
    private final ValueType type;
    private final int width;

    WideRecipe(Draw draw) {
        this.draw = draw;
        type = draw.any(ValueType.F32, ValueType.F32, ValueType.BF16, ValueType.F16);
        width = LEAST << draw.below(DOUBLINGS);
    }

    @Override
    public int most(String dim) {
        return dim.equals("n") ? width + width / 3 : 5;
    }

    @Override
    public int least(String dim) {
        return dim.equals("n") ? width : 1;
    }

    @Override
    public List<Integer> units() {
        return List.of(1, 4, 16, 1024, 1024);
    }

    @Override
    public void trace(TileScope k) {
        Dim m = k.dim("m");
        Dim n = k.dim("n");
        Tensor x = k.in("x", type, m, n);
        Tensor scale = k.in("scale", type, n);
        Tensor y = k.out("y", draw.any(type, ValueType.F32), m, n);
        Tensor totals = k.out("totals", ValueType.F32, m, Dim.of(1));
        int kind = draw.below(5);
        k.forEachRow(y, row -> {
            Tile v = x.row(row).to(ValueType.F32);
            Tile by = kind == 0 ? v.minus(v.max()).exp() : kind == 1 ? v.minus(v.sum().times(1e-4)) : v;
            Tile total = kind == 2 ? by.times(by).sum() : kind == 3 ? by.max() : by.sum();
            Tile result = kind == 4 ? by.times(scale.tile().to(ValueType.F32)) : by.dividedBy(total);
            y.storeRow(row, result.to(y.type()));
            totals.store(total, row.get(0));
        });
    }
}
