package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import java.util.List;
import java.util.stream.Stream;

/** Tiles of two dimensions, or whole rows: loads, gathers, products, words, several outputs, in place, scatters. */
final class MixedRecipe implements Recipe {
    private static final List<ValueType> FACTORS = List.of(ValueType.BF16, ValueType.F16, ValueType.F32,
            ValueType.TF32, ValueType.F64, ValueType.I8, ValueType.U8, ValueType.E4M3, ValueType.E5M2);
    private static final int MOST_TILE = 20;
    private static final int MOST_WHOLE = 2500;
    private static final int MOST = 150;

    private final Draw draw;
    private final boolean apart;
    private final TileWords words;
    private final boolean wholeRows;
    private final int rows;
    private final int columns;
    private final Moved moved;
    private TileScope k;
    private Tensor table;
    private Tensor index;
    private Tensor left;
    private Tensor right;

    /** @param apart whether each row of results depends on the rows with its number alone */
    MixedRecipe(Draw draw, boolean apart) {
        this.draw = draw;
        this.apart = apart;
        this.words = new TileWords(draw, apart);
        wholeRows = draw.once(4);
        rows = draw.extent(MOST_TILE);
        columns = draw.extent(draw.once(6) ? 2 * MOST_TILE : MOST_TILE);
        moved = draw.moved(columns);
    }

    @Override
    public int most(String dim) {
        return dim.equals("entries") ? 12 : wholeRows && dim.equals("n") ? MOST_WHOLE : MOST;
    }

    @Override
    public void trace(TileScope scope) {
        k = scope;
        Dim m = k.dim("m");
        Dim n = k.dim("n");
        Tensor a = k.in("a", draw.any(TileWords.TYPES), m, n).outside(draw.below(3));
        Tensor b = k.in("b", draw.any(TileWords.TYPES), m, n);
        Tensor row = k.in("row", draw.any(TileWords.TYPES), n);
        b = draw.once(2) ? b : b.outside(b.type().isFloat() ? Double.NaN : 1);
        Tensor out = k.out("out", draw.any(TileWords.TYPES), m, n);
        Tensor second = k.out("second", draw.any(TileWords.TYPES), m, n);
        if (wholeRows) {
            Tensor inputA = a;
            Tensor inputB = b;
            k.forEachRow(out, at -> row(at, inputA, inputB, row, out, second));
        } else {
            tiles(m, n, a, b, row, out, second);
        }
    }

    private void row(Position at, Tensor a, Tensor b, Tensor row, Tensor out, Tensor second) {
        words.add(a.row(at));
        words.add(row.tile());
        words.add(b.row(at));
        words.grow(draw.between(3, 10));
        second.storeRow(at, fitting(second.type(), out.dims().subList(1, 2)));
        words.grow(draw.between(1, 4));
        out.storeRow(at, fitting(out.type(), out.dims().subList(1, 2)));
    }

    /** The last that was made, as a type, or a whole one where it is too small. */
    private Tile fitting(ValueType type, List<Dim> shape) {
        return words.to(draw.once(4) ? words.whole(shape) : words.last(), type);
    }

    private void tiles(Dim m, Dim n, Tensor a, Tensor b, Tensor row, Tensor out, Tensor second) {
        ValueType factor = draw.any(FACTORS);
        ValueType held = factor == ValueType.TF32 ? ValueType.F32 : factor;
        if (draw.once(2)) {
            k.arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC);
        }
        Dim depth = k.dim("depth");
        Dim entries = k.dim("entries");
        index = k.in("index", draw.any(ValueType.I32, ValueType.I64), m);
        index = index.type() == ValueType.I32 ? index.outside(-1) : index;
        table = k.in("table", draw.any(TileWords.TYPES), entries, n);
        left = k.in("left", held, m, depth);
        right = k.in("right", held, depth, n);
        Value scalar = k.scalar("s", ValueType.F32);
        Value count = k.scalar("count", ValueType.I32);
        Tensor sums = apart ? null : k.inOut("sums", draw.any(ValueType.I32, ValueType.U32, ValueType.I64,
                ValueType.U64), m, n);
        Tensor scattered = apart ? null : k.inOut("scattered", draw.any(ValueType.F32, ValueType.I32, ValueType.BF16,
                ValueType.U8, ValueType.F64, ValueType.I64), entries, n);
        Tensor counts = apart ? null : k.inOut("counts", draw.any(ValueType.I32, ValueType.U32), Dim.of(
                draw.between(1, 14)));
        Tensor parts = apart ? null : k.in("parts", draw.any(TileWords.TYPES), m.dividedBy(draw.between(1, 4)), n);
        Tensor place = k.inOut("place", draw.any(TileWords.TYPES), m, n);
        k.forEachTile(out, rows, columns, at -> {
            Span r = at.row().kept();
            Span c = at.column().kept();
            words.add(k.full(scalar).plus(k.iota(c).to(ValueType.F32)));
            words.add(k.full(count, rows, columns));
            words.add(draw.once(2) ? k.full(ValueType.F16, 1.5, columns)
                    : k.full(Value.of(c.start()), List.of(Dim.of(columns))));
            words.add(row.tile(c));
            loads(a, b, r, c);
            if (draw.once(2)) {
                words.add(product(r, c, depth, factor));
            }
            boolean inPlace = draw.once(3);
            if (inPlace) {
                words.add(place.outside(1).tile(r, c));
            }
            words.add(a.tile(r, moved.of(c, n)));
            if (!apart && draw.once(4)) {
                words.add(parts.tile(r.along(parts.dims().getFirst()), c));
            }
            words.add(b.tile(at.row().kept(), at.column().kept()));
            words.grow(draw.between(3, 10));
            List<Dim> shape = List.of(Dim.of(rows), Dim.of(columns));
            second.store(fitting(second.type(), shape), r, moved.of(c, n));
            words.grow(draw.between(1, 4));
            stores(r, c, shape, out, sums, scattered);
            if (!apart && draw.once(3)) {
                counts.scatter(Update.ADD, index.tile(r), k.iota(r).to(counts.type()));
            }
            if (inPlace) {
                place.store(words.to(words.whole(shape), place.type()), r, c);
            }
        });
    }

    private void loads(Tensor a, Tensor b, Span r, Span c) {
        words.add(table.gather(index.tile(r), c));
        if (draw.once(2)) {
            words.add(a.tile(r, c.widened(2, 3)).slice(1, draw.below(6), columns));
            words.add(b.tile(r, c.plus(-3)));
            words.add(b.tile(r, c.every(3)));
        }
        if (draw.once(3)) {
            words.add(a.tile(r, Span.at(draw.below(4))).asColumn());
            words.add(table.tile(Span.at(draw.below(4)), Span.of(c.start().plus(Expr.of(1L)), columns)));
            words.add(table.tile(Span.of(draw.between(-2, 2), 1), c));
        }
        if (!apart) {
            words.add(a.tile(r.widened(1, 2), c).slice(0, draw.below(4), rows));
            words.add(a.tile(r.every(2), c.plus(-2L)));
            words.add(b.tile(Span.at(r.start()), c));
        }
    }

    private void stores(Span r, Span c, List<Dim> shape, Tensor out, Tensor sums, Tensor scattered) {
        Tile last = fitting(out.type(), shape);
        if (draw.once(4)) {
            k.when(apart ? c.start().lessThan(Expr.of(20L)) : r.start().lessThan(Expr.of(20L)),
                    () -> out.store(last, r, c));
        } else {
            out.store(last.broadcast(shape), r, c);
        }
        if (apart) {
            return;
        }
        if (draw.once(2)) {
            List<Update> updates = Stream.of(Update.values()).filter(update -> !update.isSet()).toList();
            sums.update(updates.get(draw.below(updates.size())), words.to(words.whole(shape), sums.type()),
                    draw.once(2) ? r : Span.of(0, rows), c);
        }
        if (draw.once(6)) {
            scattered.scatter(Update.SET_APART, k.iota(r).to(ValueType.I32), words.to(words.whole(shape),
                    scattered.type()), c);
            return;
        }
        boolean logical = scattered.type().isInteger();
        for (int i = draw.below(6); i < 2; i++) {
            scattered.scatter(draw.any(Update.ADD, Update.ADD, Update.SET, Update.MAX, logical ? Update.XOR
                    : Update.MIN), index.tile(r), words.to(words.whole(shape), scattered.type()),
                    draw.once(3) ? Span.of(1, columns) : c);
        }
    }

    private Tile product(Span r, Span c, Dim depth, ValueType factor) {
        ValueType sum = factor == ValueType.F64 ? factor : factor.isInteger() ? ValueType.I32
                : factor == ValueType.F16 && draw.once(2) ? factor : ValueType.F32;
        Tile start = draw.once(2) ? k.zeros(sum, rows, columns) : k.full(sum, 1, rows, columns);
        Along along = draw.along(draw.extent(2 * MOST_TILE));
        return draw.once(3)
                ? k.foldInParts(draw.between(1, 4), start, along.steps(k, depth), (s, i) -> added(s, r, c,
                        along.of(i), along.ofOther(i), factor))
                : k.fold(start, along.steps(k, depth), (s, i) -> added(s, r, c, along.of(i), along.ofOther(i), factor));
    }

    private Tile added(Tile sum, Span r, Span c, Span i, Span j, ValueType factor) {
        return sum.mma(left.tile(r, i.kept()).to(factor), right.tile(j.kept(), c).to(factor));
    }
}
