package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.FixedPowers;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Attention: {@code out = softmax(scale q kᵀ) v}, of bf16 or f16. {@code q} and {@code out} are {@code batch} by
 * {@code heads} by {@code queries} by the head's width, {@code k} and {@code v} have {@code keys} instead. Where heads
 * are grouped, {@code q} and {@code out} have another dimension behind {@code heads}: the query heads that share one
 * of keys and values, which follow each other in memory.
 *
 * {@snippet :
 * TileKernel attention = Attention.of(ValueType.BF16).withHeadWidth(128).causal().kernel();
 * attention.onCpu().set("q", q, 1, heads, length, 128).set("k", k, 1, heads, length, 128)
 *         .set("v", v, 1, heads, length, 128).set("out", out, 1, heads, length, 128).run();
 * }
 *
 * <p>The last query and the last key belong together: query {@code i} is at place {@code i + keys - queries}. A query
 * that sees no key has zeros.
 *
 * <p><b>What its bits are.</b> Keys are taken in blocks of {@code keyBlock} in ascending order; a score is a product in
 * f32. What a row is shifted by is 3,072 less its greatest score so far times {@code scale log2 e}, in one fused
 * multiply-add; a score times that factor and the shift, in another, has 12 fraction bits, and its weight is 2 to the
 * power of it less 3,072 ({@link Value#exp2Fixed}); so is the factor by which what a row carries changes with its
 * maximum. Weights are added in f32, those of every eighth key apart from the others' until the end, and rounded to the
 * type of {@code v} before they are multiplied by it. The sums are multiplied by one over the weights' sum and rounded
 * once. What is masked has weight 0 and changes nothing, so that a query's bits depend on its keys alone; {@code v}
 * must be finite. A row with a score that is a NaN, or whose maximum reaches 2^28, has NaNs.
 *
 * @param type of all four tensors: bf16 or f16
 * @param width of a head: 64, 96, 128 or 256
 * @param scale of a score
 * @param isCausal whether a query sees no later place
 * @param window how many places a query sees to either side, its own among them; 0 for all
 * @param group how many query heads share a head of keys and values
 * @param rows queries of a tile; they decide no bits
 * @param keyBlock keys of a block: they decide bits
 */
public record Attention(ValueType type, int width, float scale, boolean isCausal, int window, int group, int rows,
        int keyBlock) {
    private static final List<Integer> WIDTHS = List.of(64, 96, 128, 256);
    private static final double LOG2_E = 1.4426950408889634;
    /** Maxima are below: their roundings are so small that no power overflows. */
    private static final double MOST = 0x1p28;
    /** What 3,072 less a maximum begins with: more than any, and finite. */
    private static final double MOST_LESS = 0x1p126;
    /** Sums of weights that a row carries, each of every eighth key: a thread has two of them to itself. */
    private static final int SUMS = 8;

    public Attention {
        Objects.requireNonNull(type, "type");
        if (type != ValueType.BF16 && type != ValueType.F16) {
            throw new IllegalArgumentException("attention has elements of bf16 or f16, got " + type);
        }
        if (!WIDTHS.contains(width)) {
            throw new IllegalArgumentException("a head of attention is one of " + WIDTHS + " wide, got " + width);
        }
        if (!(scale > 0) || Float.isInfinite(scale)) {
            throw new IllegalArgumentException("scores are multiplied by a finite number above 0, got " + scale);
        }
        require("a window has 1 place or more, or is 0 for all", window, window >= 0);
        require("at least 1 query head has keys and values", group, group >= 1);
        require("a tile has a power of two of queries", rows, Integer.bitCount(rows) == 1 && rows > 0);
        require("a block has 16 keys or more, a power of two", keyBlock,
                keyBlock >= 16 && Integer.bitCount(keyBlock) == 1);
    }

    private static void require(String rule, int number, boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException(rule + ", got " + number);
        }
    }

    /** Attention in which all see all, of heads 128 wide, each with keys and values of its own. */
    public static Attention of(ValueType type) {
        return new Attention(type, 128, scale(128), false, 0, 1, 64, 128);
    }

    private static float scale(int width) {
        return (float) (1 / Math.sqrt(width));
    }

    /**
     * Sets the width of heads; scores are divided by its root; above 128 with blocks of 64 keys, else of 128.
     */
    public Attention withHeadWidth(int number) {
        return new Attention(type, number, scale(number), isCausal, window, group, rows, number > 128 ? 64 : 128);
    }

    /** Sets the factor of the scores. */
    public Attention withScale(double factor) {
        return new Attention(type, width, (float) factor, isCausal, window, group, rows, keyBlock);
    }

    /** Attention in which a query sees no key after its own place. */
    public Attention causal() {
        return new Attention(type, width, scale, true, window, group, rows, keyBlock);
    }

    /** Attention in which a query sees fewer than this many places to either side. */
    public Attention withWindow(int places) {
        require("a window has 1 place or more", places, places >= 1);
        return new Attention(type, width, scale, isCausal, places, group, rows, keyBlock);
    }

    /** Attention in which this many query heads share a head of keys and values. */
    public Attention withGroupsOf(int heads) {
        return new Attention(type, width, scale, isCausal, window, heads, rows, keyBlock);
    }

    /** Sets the number of queries of a tile, which decides no bits. */
    public Attention withRows(int queries) {
        return new Attention(type, width, scale, isCausal, window, group, queries, keyBlock);
    }

    /** Sets the number of keys of a block, which decides bits. */
    public Attention withKeyBlock(int keys) {
        return new Attention(type, width, scale, isCausal, window, group, rows, keys);
    }

    /**
     * The state that a row carries from block to block: 3,072 less its maximum, the sums of its weights, and of
     * weighted values.
     */
    record State(Tile less, Tile sums, Tile out) { }

    /** The kernel: {@code attention}. */
    public TileKernel kernel() {
        return TileKernel.of("attention", k -> {
            Dim batch = k.dim("batch"), heads = k.dim("heads"), queries = k.dim("queries"), keys = k.dim("keys");
            Dim wide = Dim.of(width);
            List<Dim> outer = group == 1 ? List.of(batch, heads) : List.of(batch, heads, Dim.of(group));
            Tensor q = k.in("q", type, extents(outer, queries, wide));
            Tensor key = k.in("k", type, batch, heads, keys, wide), v = k.in("v", type, batch, heads, keys, wide);
            Tensor out = k.out("out", type, extents(outer, queries, wide));
            List<Steps> tiles = new ArrayList<>(outer.stream().map(dim -> k.steps(dim, 1)).toList());
            tiles.add(k.steps(queries, rows));
            k.forEachTile(tiles, at -> {
                // A tile of one query is a matrix, too.
                Span row = at.spans().getLast().kept();
                Places places = new Places(k, row, queries, keys);
                List<Span> place = new ArrayList<>(at.spans());
                place.set(place.size() - 1, row);
                Tile query = q.tile(place.toArray(Span[]::new));
                State end = k.fold(start(k, rows), places.blocks(), (state, block) -> {
                    Span span = places.of(block);
                    return next(k, state, scores -> places.seen(scores, span), query,
                            key.tile(at.get(0), at.get(1), span), v.tile(at.get(0), at.get(1), span));
                });
                out.store(end(end).to(type), place.toArray(Span[]::new));
            });
        });
    }

    /** Before the first block. @param height rows of a tile */
    State start(TileScope k, long height) {
        return new State(k.full(ValueType.F32, MOST_LESS, height, 1), k.zeros(ValueType.F32, height, SUMS),
                k.zeros(ValueType.F32, height, width));
    }

    private static Dim[] extents(List<Dim> outer, Dim down, Dim across) {
        List<Dim> extents = new ArrayList<>(outer);
        extents.addAll(List.of(down, across));
        return extents.toArray(Dim[]::new);
    }

    /** Which keys a tile's queries see. */
    private final class Places {
        private final TileScope k;
        private final Expr last;
        private final Expr firstBlock;
        private final Tile place;
        private final Value keys;

        Places(TileScope k, Span row, Dim queries, Dim keys) {
            this.k = k;
            Expr ahead = keys.value().minus(queries.value());
            Expr first = row.start().plus(ahead);
            Expr zero = Expr.of(0L);
            Expr reach = first.plus(rows).plus(isCausal ? 0 : window - 1);
            this.last = isCausal || window > 0 ? keys.value().min(reach).max(zero) : keys.value();
            this.firstBlock = window > 0 ? first.minus(window - 1).max(zero).dividedBy(Expr.of((long) keyBlock))
                    : zero;
            this.place = k.iota(Span.of(first, rows).kept()).to(ValueType.I32).asColumn();
            this.keys = keys.value().toValue().to(ValueType.I32);
        }

        Steps blocks() {
            Expr before = firstBlock.times(Expr.of((long) keyBlock));
            return k.steps(new Dim("seen", last.minus(before).max(Expr.of(0L))), keyBlock);
        }

        Span of(Span block) {
            return block.plus(firstBlock.times(Expr.of((long) keyBlock)));
        }

        /** The scores, less than any number where a query does not see a key. */
        Tile seen(Tile scores, Span block) {
            Tile number = k.iota(block).to(ValueType.I32);
            return Tile.map(List.of(scores, number, place), v -> sees(v.get(2), v.get(1)).choose(v.get(0),
                    Value.f32(Float.NEGATIVE_INFINITY)));
        }

        private Value sees(Value query, Value number) {
            Value there = number.lessThan(keys);
            Value before = isCausal ? there.and(number.atMost(query)) : there;
            Value after = window > 0 ? before.and(query.minus(number).lessThan(Value.i32(window))) : before;
            return window > 0 && !isCausal ? after.and(number.minus(query).lessThan(Value.i32(window))) : after;
        }
    }

    /** What a block of keys adds. @param seen the scores, less than any number where a query does not see a key */
    State next(TileScope k, State state, UnaryOperator<Tile> seen, Tile query, Tile key, Tile value) {
        long height = query.shape().getFirst().size().orElseThrow();
        Tile scores = seen.apply(k.zeros(ValueType.F32, height, keyBlock).mma(query, key.transposed()));
        Value factor = Value.f32((float) (scale * LOG2_E));
        Value offset = Value.f32(FixedPowers.OFFSET);
        Tile most = scores.reduce(Reduction.MAX_NAN, 1);
        Tile less = state.less.min(most.map(m -> bounded(m.fma(factor.negate(), offset))));
        Tile weights = Tile.map(List.of(scores, less), v -> v.get(0).fma(factor, v.get(1)).exp2Fixed());
        Tile change = Tile.map(List.of(less, state.less), v -> v.get(0).minus(v.get(1)).plus(offset).exp2Fixed());
        Tile sums = weights.reshaped(height, keyBlock / SUMS, SUMS).sum(1).reshaped(height, SUMS);
        return new State(less, state.sums.fma(change, sums), state.out.times(change).mma(weights.to(type), value));
    }

    /** Minus infinity instead of what is too large, and of NaNs. */
    private static Value bounded(Value x) {
        Value none = x.isEqualTo(Value.f32(Float.POSITIVE_INFINITY));
        return x.abs().lessThan(MOST).or(none).choose(x, Value.f32(Float.NEGATIVE_INFINITY));
    }

    /** Weighted values over weights; 0 where there are none, a NaN where the maximum is infinite. */
    static Tile end(State state) {
        Tile inverse = state.sums.sum(1).map(sum -> sum.isEqualTo(Value.f32(0)).choose(Value.f32(0),
                sum.reciprocal()));
        Tile nothing = state.less.map(less -> less.minus(less));
        return state.out.fma(inverse, nothing);
    }
}
