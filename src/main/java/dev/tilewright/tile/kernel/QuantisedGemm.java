package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A product with weights of 4 or 8 bits that have a scale for each group along k: {@code c = sum over groups of (a q)
 * scale}, where {@code a} is {@code m} by {@code k}, and {@code q} is a weight less what means zero, rounded to the
 * type: exact, but where zeros are no whole numbers.
 *
 * <p>Each group's sum begins at zero, k ascending, and is then taken to f32: {@code sum = fma(group, scale, sum)},
 * groups ascending. So no weight is rounded, as it would be if it were scaled before it is multiplied. The groups are
 * split in eight parts whose sums are added, so that they can be computed at the same time.
 *
 * {@snippet :
 * TileKernel layer = QuantisedGemm.of(ValueType.BF16, 4, 128).kernel();
 * layer.onCpu().set("a", x, tokens, width).set("b", packed, outputs, width / 2)
 *         .set("scales", scales, outputs, width / 128).set("c", y, tokens, outputs).run();
 * }
 *
 * @param type of {@code a}, the scales, the zeros and {@code c}: bf16 or f16
 * @param bits of a weight: 8, signed, or 4, of which 0 to 15 mean -8 to 7 where there are no zeros
 * @param group how many weights along k have one scale: a multiple of 16, of weights of 4 bits of 32
 * @param zeros whether each group has a number that means zero, from which its weights count: u8 weights if 8 bits
 * @param rows of a tile of {@code c}
 * @param columns of a tile of {@code c}
 */
public record QuantisedGemm(ValueType type, int bits, int group, boolean zeros, int rows, int columns) {
    private static final int DEPTH = 16;
    private static final int NIBBLE = 4;
    private static final int MASK = 15;
    private static final int PARTS = 8;

    public QuantisedGemm {
        Objects.requireNonNull(type, "type");
        if (bits != NIBBLE && bits != Byte.SIZE) {
            throw new IllegalArgumentException("weights have 4 or 8 bits, got " + bits);
        }
        int whole = bits == NIBBLE ? 2 * DEPTH : DEPTH;
        if (group < whole || group % whole != 0) {
            throw new IllegalArgumentException("a group of weights of " + bits + " bits is a multiple of " + whole
                    + ", whole steps of tensor cores, got " + group);
        }
    }

    /** A product whose packed numbers have no zero points. */
    public static QuantisedGemm of(ValueType type, int bits, int group) {
        return new QuantisedGemm(type, bits, group, false, 64, 64);
    }

    /** Adds a zero point for each group: {@code zeros}, of the type, as many as scales. */
    public QuantisedGemm withZeros() {
        return new QuantisedGemm(type, bits, group, true, rows, columns);
    }

    /** Sets the extents of tiles, which decide no bits. */
    public QuantisedGemm withTiles(int ofRows, int ofColumns) {
        return new QuantisedGemm(type, bits, group, zeros, ofRows, ofColumns);
    }

    /**
     * The kernel. {@code scales} is {@code n} by k's groups. {@code b} is {@code n} by {@code k}, of i8, or of u8 where
     * there are zeros. Of 4 bits it is u8, {@code n} by half of each group's size for all of k's groups: byte {@code j}
     * of a group has its weight {@code j} in its low bits, and weight {@code j + group / 2} in its high ones.
     */
    public TileKernel kernel() {
        return TileKernel.of("gemm_w" + bits, k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k"), groups = depth.dividedBy(group);
            Tensor a = k.in("a", type, m, depth);
            Tensor b = k.in("b", bits == NIBBLE || zeros ? ValueType.U8 : ValueType.I8, n, bits == NIBBLE
                    ? groups.times(Dim.of(group / 2)) : depth);
            Tensor scales = k.in("scales", type, n, groups);
            Optional<Tensor> zero = zeros ? Optional.of(k.in("zeros", type, n, groups)) : Optional.empty();
            Tensor c = k.out("c", type, m, n);
            k.forEachTile(c, rows, columns, at -> c.store(at, k.foldInParts(PARTS, k.zeros(ValueType.F32, rows,
                    columns), k.steps(depth, group), (sum, i) -> {
                        Span number = Span.at(i.start().dividedBy(group)).kept();
                        Tile scale = scales.tile(at.column(), number).to(ValueType.F32).transposed();
                        Function<Tile, Tile> weights = q -> weights(q, zero.map(z -> z.tile(at.column(), number)));
                        Tile none = k.zeros(ValueType.F32, rows, columns);
                        Tile ofGroup = bits == NIBBLE ? halves(none, a, b, at, i, weights)
                                : none.mma(a.tile(at.row(), i), weights.apply(b.tile(at.column(), i)).transposed());
                        return ofGroup.fma(scale, sum);
                    }).to(type)));
        });
    }

    /** Weights as they are multiplied, of bytes. */
    private Tile weights(Tile q, Optional<Tile> zero) {
        Tile number = q.map(x -> x.to(ValueType.F32));
        return zero.map(z -> number.minus(z.to(ValueType.F32)))
                .orElseGet(() -> bits == NIBBLE ? number.minus(1 << NIBBLE - 1) : number).to(type);
    }

    /** The first half of a group, and then the other. */
    private Tile halves(Tile none, Tensor a, Tensor b, Position at, Span i, Function<Tile, Tile> weights) {
        int half = group / 2;
        Tile bytes = b.tile(at.column(), Span.of(i.start().dividedBy(2), half));
        Span first = Span.of(i.start(), half);
        Tile low = weights.apply(bytes.map(x -> x.and(Value.of(ValueType.U8, MASK))));
        Tile high = weights.apply(bytes.map(x -> x.shiftRight(NIBBLE)));
        return none.mma(a.tile(at.row(), first), low.transposed())
                .mma(a.tile(at.row(), first.plus(half)), high.transposed());
    }

    /**
     * The kernel that makes weights of {@code w}, of the type, {@code n} by {@code k}: {@code b} and {@code scales} as
     * {@link #kernel} takes them, without zeros. A group's scale is its greatest magnitude over 7, of 8 bits over 127,
     * rounded to the type; a weight is {@code w / scale} rounded to nearest even, as far as the bits go, and 0 where
     * the scale is 0.
     */
    public TileKernel quantising() {
        if (zeros) {
            throw new IllegalArgumentException("weights are quantised without zeros: leave withZeros() out");
        }
        return TileKernel.of("quantise_w" + bits, k -> {
            Dim n = k.dim("n"), depth = k.dim("k"), groups = depth.dividedBy(group);
            Tensor w = k.in("w", type, n, depth);
            Tensor b = k.out("b", bits == NIBBLE ? ValueType.U8 : ValueType.I8, n, bits == NIBBLE
                    ? groups.times(Dim.of(group / 2)) : depth);
            Tensor scales = k.out("scales", type, n, groups);
            k.forEachTile(List.of(k.steps(n, DEPTH), k.steps(groups, 1)), at -> {
                Span first = Span.of(at.get(1).start().times(group), group);
                Tile x = w.tile(at.get(0), first).to(ValueType.F32);
                Tile scale = x.map(Value::abs).max(1).map(v -> v.dividedBy((1 << bits - 1) - 1)).to(type);
                scales.store(scale, at.get(0), at.get(1).kept());
                Tile by = scale.to(ValueType.F32);
                if (bits == NIBBLE) {
                    Span half = Span.of(at.get(1).start().times(Expr.of(group / 2L)), group / 2);
                    Tile low = nibbles(w.tile(at.get(0), Span.of(first.start(), group / 2)), by);
                    Tile high = nibbles(w.tile(at.get(0), Span.of(first.start(), group / 2).plus(group / 2)), by);
                    b.store(low.map(high, (l, h) -> l.or(h.shiftLeft(NIBBLE))), at.get(0), half);
                } else {
                    b.store(QuantiseRows.divided(x, by).map(v -> v.roundEven().to(ValueType.I8)), at.get(0), first);
                }
            });
        });
    }

    private static Tile nibbles(Tile w, Tile scale) {
        return QuantiseRows.divided(w.to(ValueType.F32), scale).map(v -> v.roundEven()
                .max(-(1 << NIBBLE - 1)).min((1 << NIBBLE - 1) - 1).plus(1 << NIBBLE - 1).to(ValueType.U8));
    }
}
