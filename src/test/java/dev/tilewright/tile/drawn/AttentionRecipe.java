package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.kernel.Attention;
import dev.tilewright.tile.kernel.PagedAttention;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.LongStream;

/**
 * Attention, over keys in a row or in pages, and loops like it with masks that it has not. Scores rise or fall along
 * the keys, so that sums are rescaled in every turn or never, are all the same, far apart, or any bits.
 */
final class AttentionRecipe implements Recipe {
    private static final int WILD = 5;
    private static final int SLOTS = 6;

    private final Draw draw;
    private final ValueType type;
    private final int width;
    private final int rows;
    private final int block;
    /** Keys of a page; 0 for keys in a row. */
    private final int page;
    private final Along along;
    /** Columns of queries, and of results. */
    private final Moved columns;
    private final boolean plain;
    /** How a row's maximum, and what depends on it, is carried. */
    private final int softmax;

    AttentionRecipe(Draw draw) {
        this.draw = draw;
        type = draw.any(ValueType.BF16, ValueType.BF16, ValueType.F16);
        width = draw.any(64, 64, 96, 128, 256);
        block = draw.once(4) ? 16 << draw.below(3) : width == 256 || draw.once(3) ? 64 : 128;
        rows = draw.once(6) ? 32 << 2 * draw.below(2) : 64;
        page = draw.once(4) ? Math.min(block, 8 << draw.below(4)) : 0;
        plain = page > 0 || draw.once(2);
        softmax = draw.below(3);
        along = draw.along(block);
        columns = draw.moved(width);
    }

    @Override
    public TileKernel kernel() {
        if (!plain) {
            return TileKernel.of("drawn", this::trace);
        }
        Attention some = Attention.of(type).withHeadWidth(width).withKeyBlock(block)
                .withGroupsOf(page > 0 ? 1 << draw.below(4) : draw.between(1, 3)).withRows(rows);
        some = draw.once(2) ? some.causal() : some;
        if (draw.once(2)) {
            some = some.withWindow(draw.once(2) ? draw.between(1, 150) : 64 * draw.between(1, 3) + draw.between(-1, 1));
            // A block has no room for more rows and both ends of a window.
            some = width == 256 ? some.withRows(Math.min(rows, 64)) : some;
        }
        some = draw.once(4) ? some.withScale(draw.any(0.01, 1.0, 8.0)) : some;
        return page == 0 ? some.kernel() : PagedAttention.of(some.withRows(draw.once(4) ? 1 : 64 / some.group()), page)
                .kernel();
    }

    @Override
    public int most(String dim) {
        return switch (dim) {
            case "queries" -> page > 0 ? 40 : 150;
            case "keys" -> 300;
            case "slots" -> SLOTS * block / Math.max(1, page) / 2;
            case "pages" -> 24;
            default -> 2;
        };
    }

    @Override
    public int near(String dim) {
        return dim.equals("keys") ? block : dim.equals("queries") ? rows : 0;
    }

    @Override
    public List<Integer> units() {
        return List.of(8, 16);
    }

    /** Like attention: other masks, other functions of scores, and of the sums at the end. */
    @Override
    public void trace(TileScope k) {
        Dim heads = k.dim("heads"), queries = k.dim("queries"), keys = k.dim("keys");
        int narrow = draw.once(3) ? width / 2 : width;
        Tensor q = k.in("q", type, heads, queries, Dim.of(width)), key = k.in("k", type, heads, keys, Dim.of(width));
        Tensor v = k.in("v", type, heads, keys, Dim.of(narrow));
        Tensor out = k.out("out", type, heads, queries, Dim.of(narrow));
        int ahead = draw.between(-70, 70);
        boolean isCut = draw.once(3);
        boolean isFused = draw.once(3);
        k.forEachTile(List.of(k.steps(heads, 1), k.steps(queries, rows)), at -> {
            Span row = at.get(1);
            Expr last = keys.value().min(row.start().plus(rows + ahead)).max(Expr.of(0L));
            Tile query = q.tile(at.get(0), row, columns.of(Span.of(0, width), keys));
            Tile place = k.iota(row).to(ValueType.I32).asColumn();
            Mask mask = new Mask(keys.value().toValue().to(ValueType.I32), Value.i32(ahead));
            State start = new State(k.full(ValueType.F32, -1e30, rows, 1), k.zeros(ValueType.F32, rows, 1),
                    k.zeros(ValueType.F32, rows, narrow));
            State end = k.fold(start, along.steps(k, isCut ? new Dim("seen", last) : keys), (state, step) -> {
                Span span = along.of(step);
                Tile scores = k.zeros(ValueType.F32, rows, block).mma(query, key.tile(at.get(0), span).transposed());
                Tile number = k.iota(span).to(ValueType.I32);
                Tile seen = Tile.map(List.of(scores, number, place), s -> mask.of(s.get(2), s.get(1), s.get(0)));
                return next(state, seen, v.tile(at.get(0), span), isFused);
            });
            Tile result = draw.once(2) ? end.out.dividedBy(end.sum) : end.out.times(0.25);
            out.store(result.to(type), at.get(0), row, columns.of(Span.of(0, narrow), queries));
        });
    }

    /** What a row carries. */
    private record State(Tile most, Tile sum, Tile out) { }

    /** @param isFused whether what changes the sums is no tile of its own */
    private State next(State state, Tile seen, Tile values, boolean isFused) {
        Tile most = softmax == 0 ? state.most : state.most.max(seen.max(1));
        Tile weights = Tile.map(List.of(seen, most), s -> weight(s.get(0), s.get(1)));
        Tile change = Tile.map(List.of(state.most, most), s -> weight(s.get(0), s.get(1)));
        Tile out = softmax == 0 ? state.out : isFused ? Tile.map(List.of(state.out, state.most, most), s -> s.get(0)
                .times(weight(s.get(1), s.get(2)))) : state.out.times(change);
        return new State(most, state.sum.fma(change, weights.sum(1)), out.mma(weights.to(type), values));
    }

    private Value weight(Value score, Value most) {
        return switch (softmax) {
            case 0 -> score.max(Value.f32(-8)).times(Value.f32(0.125f));
            case 1 -> score.minus(most).exp();
            default -> score.minus(most).plus(Value.f32(3072)).exp2Fixed();
        };
    }

    /** What becomes of a score that a query does not see, and which that are. */
    private final class Mask {
        private final Value keys;
        private final Value ahead;
        private final int parts = draw.between(1, 3);
        private final List<Integer> kinds = List.of(draw.below(8), draw.below(6), draw.below(6));
        private final List<Integer> numbers = List.of(draw.between(1, 120), draw.between(1, 120), draw.between(1, 120));
        private final List<Boolean> isEither = List.of(draw.once(4), draw.once(4));
        private final Value instead = Value.f32(draw.any(Float.NEGATIVE_INFINITY, Float.NEGATIVE_INFINITY, -1e4f, 0f));
        private final boolean isTurned = draw.once(6);
        private final boolean isBiased = draw.once(4);

        Mask(Value keys, Value ahead) {
            this.keys = keys;
            this.ahead = ahead;
        }

        Value of(Value query, Value number, Value score) {
            Value sees = part(0, query, number);
            for (int i = 1; i < parts; i++) {
                BinaryOperator<Value> both = isEither.get(i - 1) ? Value::or : Value::and;
                sees = both.apply(sees, part(i, query, number));
            }
            Value given = isBiased ? score.minus(number.to(ValueType.F32).times(Value.f32(0.01f))) : score;
            return isTurned ? sees.not().choose(instead, given) : sees.choose(given, instead);
        }

        private Value part(int which, Value query, Value number) {
            Value n = Value.i32(numbers.get(which));
            return switch (kinds.get(which)) {
                case 0 -> number.atMost(query.plus(ahead));
                case 1 -> query.plus(ahead).minus(number).lessThan(n);
                case 2 -> number.minus(query).lessThan(n);
                case 3 -> number.atLeast(n);
                case 4 -> number.lessThan(keys.minus(n));
                case 5 -> number.lessThan(keys);
                case 6 -> number.remainder(Value.i32(3)).isNotEqualTo(Value.i32(0));
                default -> number.isNotEqualTo(query);
            };
        }
    }

    @Override
    public long[] words(Tensor tensor, List<Long> extents, Map<String, Long> sizes, Draw of) {
        int count = Math.toIntExact(extents.stream().reduce(1L, Math::multiplyExact));
        if (tensor.name().equals("lengths")) {
            long most = sizes.get("slots") * page;
            return LongStream.generate(() -> of.once(4) ? of.any(0L, most) : of.between(0, (int) most)).limit(count)
                    .toArray();
        }
        if (tensor.name().equals("table")) {
            return LongStream.generate(() -> of.between(0, Math.toIntExact(sizes.get("pages")) - 1)).limit(count)
                    .toArray();
        }
        int style = of.below(tensor.name().equals("v") ? 2 * WILD : WILD + 1);
        long across = extents.getLast();
        long down = extents.get(extents.size() - 2);
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            long row = i / across % down;
            double scale = tensor.name().equals("v") ? 1 : switch (style) {
                case 1 -> 0.1 * row;
                case 2 -> 4.0 / (1 + row);
                case 3 -> row % 3;
                case 4 -> 64;
                default -> 1;
            };
            words[i] = style == WILD ? of.word(type) : ((Value.Const) Value.of(type, of.number() * scale)).word();
        }
        return words;
    }
}
