package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Objects;

/**
 * Rotary position embedding: each pair (a, b) of a head's numbers is turned by an angle that depends on its token's
 * place, to {@code (a cos - b sin, b cos + a sin)}. Products and sums are those of f32, each rounded once, and the
 * result is rounded once to the type.
 *
 * {@snippet :
 * TileKernel rotary = Rotary.of(ValueType.BF16, 128).kernel();
 * rotary.onCpu().set("x", x, tokens, heads, 128).set("place", places, tokens).set("cos", cos, most, 64)
 *         .set("sin", sin, most, 64).set("y", y, tokens, heads, 128).run();
 * }
 *
 * @param type of the elements: f32, f16 or bf16
 * @param width of a head, even
 * @param interleaved whether pairs are neighbours; otherwise element {@code i} goes with {@code i + width / 2}
 */
public record Rotary(ValueType type, int width, boolean interleaved) {
    private static final int TOKENS = 2;
    private static final int HEADS = 8;
    private static final int PLACES = 16;

    public Rotary {
        Objects.requireNonNull(type, "type");
        if (width < 2 || width % 2 != 0) {
            throw new IllegalArgumentException("a head has pairs of numbers, so an even width of 2 or more, got "
                    + width);
        }
    }

    /** Element {@code i} of a head goes with {@code i + width / 2}, as in GPT-NeoX and Llama. */
    public static Rotary of(ValueType type, int width) {
        Objects.requireNonNull(type, "type");
        return new Rotary(type, width, false);
    }

    /** Pairs are neighbours: element {@code 2 i} goes with {@code 2 i + 1}, as in GPT-J. */
    public Rotary withInterleavedPairs() {
        return new Rotary(type, width, true);
    }

    /**
     * The kernel: {@code x} and {@code y} of {@code tokens} by {@code heads} by the width; {@code place}, of i32, where
     * each token is in its text; {@code cos} and {@code sin}, of f32, of {@code places} by half the width, see
     * {@link #table}. Of a place that the tables lack the result is NaNs.
     */
    public TileKernel kernel() {
        return TileKernel.of("rotary", k -> {
            Dim tokens = k.dim("tokens"), heads = k.dim("heads"), places = k.dim("places");
            Dim half = Dim.of(width / 2), whole = Dim.of(width);
            Tensor x = k.in("x", type, tokens, heads, whole), place = k.in("place", ValueType.I32, tokens);
            Tensor cos = k.in("cos", ValueType.F32, places, half).outside(Double.NaN);
            Tensor sin = k.in("sin", ValueType.F32, places, half).outside(Double.NaN);
            Tensor y = k.out("y", type, tokens, heads, whole);
            List<Dim> ofToken = List.of(Dim.of(TOKENS), Dim.of(1), half);
            k.forEachTile(List.of(k.steps(tokens, TOKENS), k.steps(heads, HEADS)), at -> {
                Tile rows = place.tile(at.row());
                Tile c = cos.gather(rows).reshaped(ofToken), s = sin.gather(rows).reshaped(ofToken);
                Tile a = x.tile(at.row(), at.column(), pairs(0)).to(ValueType.F32);
                Tile b = x.tile(at.row(), at.column(), pairs(1)).to(ValueType.F32);
                y.store(a.times(c).minus(b.times(s)).to(type), at.row(), at.column(), pairs(0));
                y.store(b.times(c).plus(a.times(s)).to(type), at.row(), at.column(), pairs(1));
            });
        });
    }

    /** Where the first or the second numbers of all pairs are. */
    private Span pairs(int which) {
        return interleaved ? Span.of(which, width / 2).every(2) : Span.of((long) which * width / 2, width / 2);
    }

    /**
     * The kernel that makes the tables: {@code cos} and {@code sin}, of f32, of {@code places} by half the width. Pair
     * {@code i} is turned by {@code place / base^(2 i / width)}, computed in f64 and rounded once; {@code base} is a
     * scalar of f64, 10,000 as a rule.
     *
     * @param width of a head, even
     */
    public static TileKernel table(int width) {
        Rotary heads = of(ValueType.F32, width);
        return TileKernel.of("rotary_table", k -> {
            Dim places = k.dim("places"), half = Dim.of(heads.width / 2);
            Tensor cos = k.out("cos", ValueType.F32, places, half), sin = k.out("sin", ValueType.F32, places, half);
            Value base = k.scalar("base", ValueType.F64);
            k.forEachTile(List.of(k.steps(places, PLACES)), at -> {
                Tile pair = k.iota(Span.all(half)).map(i -> base.pow(i.to(ValueType.F64).times(-2.0)
                        .dividedBy(width)));
                Tile angle = k.iota(at.get(0)).to(ValueType.F64).asColumn().times(pair);
                cos.store(angle.map(Value::cos).to(ValueType.F32), at.get(0));
                sin.store(angle.map(Value::sin).to(ValueType.F32), at.get(0));
            });
        });
    }
}
