package dev.tilewright.tile.drawn;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.List;

/** Matrices whose elements are made of those around them, of one row or several at a time, with places outside. */
final class StencilRecipe implements Recipe {
    private final Draw draw;
    private final ValueType type;
    private final int rows;
    private final int columns;
    private final int reach;
    private final int terms;
    private final boolean clampedRows;
    private final boolean clampedColumns;
    /** Whether results have dimensions of their own. */
    private final boolean apart;
    private final boolean outside;
    private final Moved moved;

    StencilRecipe(Draw draw) {
        this.draw = draw;
        type = draw.any(ValueType.U8, ValueType.I8, ValueType.BF16, ValueType.F16, ValueType.F32, ValueType.F64,
                ValueType.I32);
        rows = draw.once(6) ? 3 : 1 << draw.below(4);
        columns = draw.once(6) ? draw.between(1, 200) : 32 << draw.below(6);
        reach = draw.between(1, 3);
        terms = draw.between(2, 7);
        boolean both = draw.once(2);
        clampedRows = both || draw.once(3);
        clampedColumns = both || draw.once(3);
        apart = draw.once(5);
        outside = draw.once(3);
        moved = draw.moved(columns);
    }

    @Override
    public int most(String dim) {
        return dim.startsWith("column") ? 600 : 40;
    }

    @Override
    public List<Integer> units() {
        return List.of(1, 16, 16, 16);
    }

    @Override
    public void trace(TileScope k) {
        Dim down = k.dim("rows"), across = k.dim("columns");
        Tensor x = k.in("x", type, down, across);
        Tensor from = outside ? x.outside(2) : x;
        Tensor y = apart ? k.out("y", type, k.dim("rows2"), k.dim("columns2")) : k.out("y", type, down, across);
        List<Steps> steps = List.of(k.steps(y.dims().getFirst(), rows), k.steps(y.dims().getLast(), columns));
        k.forEachTile(steps, at -> {
            Span row = at.get(0), column = moved.of(at.get(1), across);
            List<Tile> tiles = new ArrayList<>();
            for (int term = 0; term < terms; term++) {
                tiles.add(around(from, row, column, draw.between(-reach, reach), draw.between(-reach, reach)));
            }
            Tile result = tiles.getFirst();
            for (Tile tile : tiles.subList(1, terms)) {
                result = draw.once(2) ? result.max(tile) : result.plus(tile);
            }
            y.store(result, row, column);
        });
    }

    private Tile around(Tensor x, Span row, Span column, int down, int right) {
        Span first = row.plus(down);
        Span last = column.plus(right);
        return x.tile(clampedRows ? first.nearest() : first, clampedColumns ? last.nearest() : last);
    }
}
