package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Kernels that choose among the numbers of each row of {@code x}, of {@code rows} by {@code columns}, of f32, f16 or
 * bf16. Numbers are ordered as IEEE 754's totalOrder has them: NaNs with a sign, numbers from the least to the
 * greatest, -0 before 0, other NaNs. Of equal ones the first is the greater.
 */
public final class Selection {
    private static final int TILE = 1024;
    private static final int DRAWN_TILE = 4096;
    /** Numbers of a row that are found at a time. */
    private static final int DEPTH = 8;
    private static final int WORD = 32;
    /** The key of no number. */
    private static final Value NONE = Value.i64(Long.MIN_VALUE);

    private Selection() { }

    /**
     * The greatest numbers of each row, in descending order: {@code values}, of the type, and {@code places}, of i32,
     * of {@code rows} by {@code count}. A row that has fewer numbers ends with NaNs at place -1.
     */
    public static TileKernel top(ValueType type, int count) {
        Objects.requireNonNull(type, "type");
        if (count < 1) {
            throw new IllegalArgumentException("the greatest 1 or more are chosen, got " + count);
        }
        return TileKernel.of("top", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns"), chosen = Dim.of(count);
            Tensor x = k.in("x", type, rows, columns), values = k.out("values", type, rows, chosen);
            Tensor places = k.out("places", ValueType.I32, rows, chosen);
            int depth = Math.min(count, DEPTH);
            k.forEachRow(x, row -> k.fold(k.full(Value.i64(Long.MAX_VALUE)), k.steps(chosen, depth), (last, i) -> {
                Best best = k.fold(Best.none(k), k.steps(columns, TILE), (kept, c) -> kept.with(below(keys(k, c,
                        columns, x.tile(row.get(0), c).to(ValueType.F32)), last), depth));
                Tile next = last;
                for (int rank = 0; rank < depth; rank++) {
                    next = best.below(next, depth);
                    Span at = Span.at(i.start().plus(rank));
                    values.store(next.map(key -> number(key).to(type)), row.get(0), at);
                    places.store(next.map(Selection::place), row.get(0), at);
                }
                return next;
            }));
        });
    }

    /**
     * A number's place drawn for each row, in {@code y}, of i32, of {@code rows}: place {@code i} with a probability
     * proportional to {@code e^(x[i] / temperature)}. It is the place of the greatest {@code x[i] / temperature -
     * log(-log(1 - u))}, with {@code u} from a word of {@link Philox}, whose counter is {@code (i, 0, step,
     * sequence)}, two scalars of u32 for the launch and a number of u32 for each row, and whose key is the scalar
     * {@code seed}, of u64, low word first. A row's draw depends on its numbers, its sequence's number, the step and
     * the seed alone. With a temperature of 0 it is the place of the greatest number.
     *
     * <p>{@code u = (w + 1/2) / 2^32} in f32; below 2^-12 {@code -log(1 - u)} is {@code u + u^2 / 2}.
     */
    public static TileKernel sample(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("sample", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), sequence = k.in("sequence", ValueType.U32, rows);
            Tensor y = k.out("y", ValueType.I32, rows);
            Draw draw = Draw.of(k);
            k.forEachRow(x, row -> y.store(row, k.fold(k.full(NONE, DRAWN_TILE), k.steps(columns, DRAWN_TILE), (best,
                    c) -> best.max(keys(k, c, columns, draw.scores(x.tile(row.get(0), c).to(ValueType.F32), k.iota(c),
                            sequence.tile(row))))).max().map(Selection::place)));
        });
    }

    /**
     * Draws as {@link #sample} does, among the numbers that {@link #top} chose: {@code x} in descending order, {@code
     * places}, of i32, of {@code rows} by {@code columns}, where they were. Numbers are left out once the shares of the
     * ones before them reach {@code share}, a scalar, of all: 1 leaves none out. The counter has {@code places[i]}
     * instead of {@code i}, and {@code y} is a number of {@code places}.
     */
    public static TileKernel sampleOfTop(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("sample_top", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), places = k.in("places", ValueType.I32, rows, columns);
            Tensor sequence = k.in("sequence", ValueType.U32, rows), y = k.out("y", ValueType.I32, rows);
            Value share = k.scalar("share", ValueType.F32);
            Draw draw = Draw.of(k);
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(ValueType.F32), at = places.row(row);
                Tile e = draw.tempered(v.minus(v.max())).exp(), before = e.scan(Reduction.SUM, 0)
                        .minus(e);
                Tile kept = before.lessThan(e.sum().map(sum -> sum.times(share)));
                Tile scores = kept.choose(draw.scores(v, at.to(ValueType.I64), sequence.tile(row)),
                        k.full(ValueType.F32, Double.NEGATIVE_INFINITY));
                Tile first = scores.argMax(0).reshaped();
                Tile chosen = k.iota(Span.all(columns)).isEqualTo(first).choose(at, k.full(Value.i32(
                        Integer.MIN_VALUE)));
                y.store(row, chosen.max());
            });
        });
    }

    /**
     * The greatest keys of each of the places of a row's parts, in descending order, so that those of a row are among
     * them.
     */
    private record Best(Tile first, Tile second, Tile third, Tile fourth, Tile fifth, Tile sixth, Tile seventh,
            Tile eighth) {
        private static Best of(List<Tile> t) {
            return new Best(t.get(0), t.get(1), t.get(2), t.get(3), t.get(4), t.get(5), t.get(6), t.get(7));
        }

        static Best none(TileScope k) {
            return of(Collections.nCopies(DEPTH, k.full(NONE, TILE)));
        }

        private List<Tile> tiles() {
            return List.of(first, second, third, fourth, fifth, sixth, seventh, eighth);
        }

        /** With further keys, one for each place, of which as many as are kept of each take part. */
        Best with(Tile keys, int depth) {
            List<Tile> tiles = new ArrayList<>(tiles());
            Tile less = keys;
            for (int rank = 0; rank < depth; rank++) {
                Tile held = tiles.get(rank);
                tiles.set(rank, held.map(less, (a, b) -> a.lessThan(b).choose(b, a)));
                less = held.map(less, (a, b) -> a.lessThan(b).choose(a, b));
            }
            return of(tiles);
        }

        /** The greatest key that is less than another. */
        Tile below(Tile bound, int depth) {
            return tiles().subList(0, depth).stream().map(tile -> Selection.below(tile, bound)).reduce(Tile::max)
                    .orElseThrow().max();
        }
    }

    /** What a launch gives for its draws. */
    private record Draw(Value temperature, Value step, Value seed) {
        static Draw of(TileScope k) {
            return new Draw(k.scalar("temperature", ValueType.F32), k.scalar("step", ValueType.U32),
                    k.scalar("seed", ValueType.U64));
        }

        Tile tempered(Tile x) {
            return x.map(v -> temperature.greaterThan(0).choose(v.dividedBy(temperature), v));
        }

        Tile scores(Tile x, Tile places, Tile sequence) {
            return Tile.map(List.of(x, places, sequence), v -> {
                Value word = Philox.first(List.of(v.get(1).to(ValueType.U32), Value.u32(0), step, v.get(2)),
                        List.of(seed.to(ValueType.U32), seed.shiftRight(WORD).to(ValueType.U32)));
                Value u = word.to(ValueType.F32).plus(0.5).times(0x1p-32);
                Value waited = u.lessThan(0x1p-12).choose(u.times(u).fma(Value.f32(0.5f), u),
                        Value.f32(1).minus(u).log().negate());
                return temperature.greaterThan(0).choose(v.get(0).dividedBy(temperature).minus(waited.log()),
                        v.get(0));
            });
        }
    }

    /** Keys that are less than another key; all others become the least i64. */
    private static Tile below(Tile keys, Tile bound) {
        return keys.map(bound, (key, last) -> key.lessThan(last).choose(key, NONE));
    }

    /** Numbers of f32 in their order as i64, and by their places in descending order; the least i64 behind the row. */
    private static Tile keys(TileScope k, Span columns, Dim all, Tile numbers) {
        return numbers.map(k.iota(columns), (x, place) -> {
            Value key = ordered(x.bitCast(ValueType.I32)).to(ValueType.I64).shiftLeft(WORD)
                    .or(Value.i64(0xFFFF_FFFFL).minus(place));
            return place.lessThan(Value.of(all.value())).choose(key, NONE);
        });
    }

    /** The bits of an f32 as integers in the numbers' order, and back. */
    private static Value ordered(Value bits) {
        return bits.xor(bits.shiftRight(WORD - 1).and(Value.i32(Integer.MAX_VALUE)));
    }

    private static Value number(Value key) {
        return ordered(key.shiftRight(WORD).to(ValueType.I32)).bitCast(ValueType.F32);
    }

    private static Value place(Value key) {
        return Value.i64(0xFFFF_FFFFL).minus(key.and(Value.i64(0xFFFF_FFFFL))).to(ValueType.I32);
    }
}
