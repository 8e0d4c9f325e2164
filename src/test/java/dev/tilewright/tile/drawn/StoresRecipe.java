package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import java.util.List;

/**
 * Tiles that store several times into one tensor, at places that overlap: whole tiles, parts of them, in loops and
 * conditions, by updates, of products and of rows that a cluster shares. What is stored last must remain.
 */
final class StoresRecipe implements Recipe {
    /** What is stored: elements of tiles, sums of products, rows that are too wide for a block. */
    enum Kind { TILES, PRODUCTS, WIDE }

    private static final List<ValueType> TYPES = List.of(ValueType.BF16, ValueType.F32, ValueType.I32, ValueType.U8,
            ValueType.F64, ValueType.F16, ValueType.I64);
    private static final int WIDE = 70_000;
    private static final int MOST_PART = 700;

    private final Draw draw;
    private final Kind kind;
    private final int rows;
    private final int columns;
    private final ValueType type;
    private final boolean updated;
    private final boolean loaded;
    private TileScope k;

    StoresRecipe(Draw draw) {
        this.draw = draw;
        kind = draw.any(Kind.TILES, Kind.TILES, Kind.PRODUCTS, Kind.PRODUCTS, Kind.WIDE);
        rows = kind == Kind.PRODUCTS ? 64 << draw.below(2) : draw.extent(20);
        columns = kind == Kind.PRODUCTS ? 32 << draw.below(3) : draw.extent(70);
        type = kind == Kind.TILES ? draw.any(TYPES) : draw.any(ValueType.BF16, ValueType.BF16, ValueType.F32);
        updated = kind == Kind.TILES && type.isInteger() && type.bits() >= Integer.SIZE && draw.once(2);
        loaded = kind != Kind.PRODUCTS && draw.once(4);
    }

    @Override
    public int most(String dim) {
        return kind == Kind.WIDE ? dim.equals("n") ? WIDE + MOST_PART : 4 : 150;
    }

    @Override
    public int least(String dim) {
        return kind == Kind.WIDE && dim.equals("n") ? WIDE : 1;
    }

    @Override
    public List<Integer> units() {
        return List.of(1, 8, 16, 16, 16);
    }

    @Override
    public void trace(TileScope scope) {
        k = scope;
        Dim m = k.dim("m"), n = k.dim("n");
        Tensor x = k.in("x", type, m, n);
        Tensor y = updated || loaded ? k.inOut("y", type, m, n) : k.out("y", type, m, n);
        boolean both = kind != Kind.WIDE && draw.once(3);
        Tensor other = both ? k.out("other", ValueType.F32, m, n) : y;
        if (kind == Kind.WIDE) {
            k.forEachRow(y, at -> row(at, x, y));
            return;
        }
        Tensor b = kind == Kind.PRODUCTS ? k.in("b", ValueType.BF16, n, k.dim("k")) : null;
        Tensor a = kind == Kind.PRODUCTS ? k.in("a", ValueType.BF16, m, b.dims().getLast()) : null;
        k.forEachTile(y, rows, columns, at -> {
            Span r = at.row().kept(), c = at.column().kept();
            Tile whole = kind == Kind.PRODUCTS ? k.fold(k.zeros(ValueType.F32, rows, columns), k.steps(
                    b.dims().getLast(), 32), (sum, i) -> sum.mma(a.tile(r, i), b.tile(c, i).transposed())).to(type)
                    : loaded ? x.tile(r, c).max(y.tile(r, c)) : x.tile(r, c);
            for (int i = draw.between(2, 4); i > 0; i--) {
                store(whole, x, y, r, c);
            }
            if (both) {
                other.store(whole.to(ValueType.F32), r, c);
                other.store(x.tile(r, c).to(ValueType.F32).slice(1, 0, 1), r, Span.of(c.start(), 1));
            }
        });
    }

    /** One store of a part of the tile's own places, which is a part of the tile, or something else. */
    private void store(Tile whole, Tensor x, Tensor y, Span r, Span c) {
        boolean all = draw.once(3);
        boolean looped = !loaded && draw.once(5);
        int high = all ? rows : draw.between(1, rows);
        int wide = all ? columns : draw.between(1, columns);
        int turns = looped ? Math.min(3, rows - high + 1) : 1;
        int down = loaded ? 0 : draw.below(rows - high - turns + 2);
        int right = loaded ? 0 : draw.below(columns - wide + 1);
        boolean apart = !loaded && draw.once(4) && 2 * (wide - 1) + right < columns;
        Span rows1 = new Span(r.start().plus(Expr.of((long) down)), Dim.of(high), 1, false);
        Span columns1 = new Span(c.start().plus(Expr.of((long) right)), Dim.of(wide), apart ? 2 : 1, false);
        Tile part = switch (draw.below(5)) {
            case 0 -> whole.slice(0, draw.below(rows - high + 1), high).slice(1, draw.below(columns - wide + 1), wide);
            case 1 -> x.tile(r.plus(draw.between(-2, 2)), c.plus(draw.between(-3, 3))).slice(0, 0, high).slice(1, 0,
                    wide);
            case 2 -> k.full(type, draw.below(9), high, wide);
            case 3 -> whole.slice(0, 0, 1).slice(1, 0, wide);
            default -> whole.slice(0, 0, high).slice(1, 0, wide).map(v -> v.plus(v));
        };
        Update update = updated ? draw.any(Update.SET, Update.SET, Update.ADD, Update.MAX) : Update.SET;
        if (looped) {
            k.loop(k.steps(Dim.of(turns), 1), turn -> put(y, update, part.plus(k.full(turn.start().toValue()).to(
                    ValueType.I32).to(type)), rows1.plus(turn.start()), columns1));
        } else if (draw.once(5)) {
            k.when(r.start().lessThan(Expr.of(30L)), () -> put(y, update, part, rows1, columns1));
        } else {
            put(y, update, part, rows1, columns1);
        }
    }

    private static void put(Tensor y, Update update, Tile tile, Span rows, Span columns) {
        if (update == Update.SET) {
            y.store(tile, rows, columns);
        } else {
            y.update(update, tile.broadcast(List.of(rows.length(), columns.length())), rows, columns);
        }
    }

    private void row(Position at, Tensor x, Tensor y) {
        Tile v = loaded ? y.row(at) : x.row(at);
        Tile by = draw.once(3) ? v : v.minus(v.max());
        boolean first = draw.once(2);
        if (first) {
            y.storeRow(at, by);
        }
        for (int i = draw.between(1, 2); i > 0 && !loaded; i--) {
            int length = draw.between(1, MOST_PART);
            int from = draw.below(WIDE);
            y.store(x.tile(at.get(0), Span.of(from + draw.between(-9, 9), length)).map(e -> e.plus(e)), at.get(0),
                    Span.of(from, length));
        }
        if (!first || draw.once(3)) {
            y.storeRow(at, first ? by.map(e -> e.plus(e)) : by);
        }
    }
}
