package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;

/** Loops that carry records, loops in loops, loops that store, what happens in some turns alone. */
final class LoopRecipe implements Recipe {
    private static final int MOST_TILE = 18;
    private static final int MOST = 120;

    /** What a loop carries. */
    public record State(Tile greatest, Tile sum, Tile count) { }

    private final Draw draw;
    private final int rows;
    private final int step;
    private final ValueType type;

    LoopRecipe(Draw draw) {
        this.draw = draw;
        rows = draw.extent(MOST_TILE);
        step = draw.extent(MOST_TILE);
        type = draw.any(ValueType.F32, ValueType.F64, ValueType.BF16, ValueType.F16, ValueType.I32, ValueType.I64);
    }

    @Override
    public int most(String dim) {
        return MOST;
    }

    @Override
    public void trace(TileScope k) {
        Dim m = k.dim("m");
        Dim n = k.dim("n");
        Tensor a = k.in("a", type, m, n).outside(draw.between(-1, 1));
        Tensor b = k.in("b", draw.any(TileWords.TYPES), n);
        Tensor ends = k.out("ends", ValueType.F32, m);
        Tensor counts = k.out("counts", ValueType.I32, m);
        Tensor out = k.out("out", draw.any(TileWords.TYPES), m, n);
        k.forEachTile(ends, rows, at -> tile(k, at, n, a, b, ends, counts, out));
    }

    private void tile(TileScope k, Position at, Dim n, Tensor a, Tensor b, Tensor ends, Tensor counts, Tensor out) {
        Span r = at.get(0).kept();
        State end = k.fold(new State(k.full(ValueType.F32, -100, rows), k.zeros(ValueType.F32, rows),
                k.zeros(ValueType.I32, rows)), k.steps(n, step), (state, i) -> turn(k, state, r, i.kept(), a, n));
        Tile sum = draw.once(2) ? end.sum() : nested(k, end.sum(), r, n, a);
        k.loop(k.steps(n, step), i -> {
            Span c = i.kept();
            Tile x = a.tile(r, c).to(ValueType.F32).minus(sum.asColumn());
            Tile y = real(b.tile(c)).plus(x).plus(end.greatest().asColumn())
                    .map(ElementWords.ofF32(draw));
            Tile last = y.map(v -> ElementWords.to(draw, v, out.type()));
            if (draw.once(3)) {
                k.when(c.start().lessThan(Expr.of((long) draw.between(0, 2 * step))), () -> out.store(last, r, c));
            } else {
                out.store(last, r, c);
            }
        });
        ends.store(at, sum.reshaped(at.get(0).single() ? new long[0] : new long[] {rows}));
        counts.store(draw.once(2) ? end.count().plus(2) : end.count(), r);
    }

    private Tile real(Tile tile) {
        return tile.map(x -> ElementWords.to(draw, x, ValueType.F32));
    }

    private State turn(TileScope k, State state, Span r, Span i, Tensor a, Dim n) {
        Tile x = a.tile(r, i).to(ValueType.F32);
        Tile inside = k.iota(i).map(c -> c.lessThan(Value.of(n.value())));
        Tile seen = inside.choose(x, k.full(ValueType.F32, -200));
        Tile greatest = state.greatest().max(seen.max(1).reshaped(rows));
        Tile sum = state.sum().times(state.greatest().minus(greatest).exp())
                .plus(seen.minus(greatest.asColumn()).exp().sum(1).reshaped(rows));
        Tile count = state.count().plus(inside.map(p -> p.choose(Value.i32(1), Value.i32(0))).sum(0));
        // Some records exchange what they carry: one component is what another was.
        return draw.once(4) ? new State(state.sum(), greatest, count) : new State(greatest, sum, count);
    }

    /** A loop within a loop, whose first is split in parts. */
    private Tile nested(TileScope k, Tile start, Span r, Dim n, Tensor a) {
        return k.foldInParts(draw.between(1, 3), start, k.steps(n, 2 * step), (sum, i) -> k.fold(sum,
                k.steps(n, draw.between(20, 60)), (inner, j) -> inner.times(0.5)
                        .plus(a.tile(r, Span.at(i.start().plus(j.start()))).to(ValueType.F32))));
    }
}
