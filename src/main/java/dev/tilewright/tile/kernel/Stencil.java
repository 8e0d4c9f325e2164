package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * A stencil over a picture: each element is a function of the elements around it, in a picture {@code x} of {@code
 * rows} by {@code columns}, or by {@code columns} by channels. It is computed in f32, of f64 in f64, and rounded once;
 * integers take the nearest number that they have, of two the even one.
 *
 * {@snippet :
 * TileKernel edges = Stencil.of("edges", ValueType.F32, n -> n.at(0, 1).minus(n.at(0, -1)).abs()).kernel();
 * TileKernel blur = Stencil.blur(ValueType.U8, 2).withChannels(3).kernel();
 * }
 *
 * @param name of the kernel, as of a function in C
 * @param type of the elements
 * @param channels of each place, which are apart; 0 for pictures of two dimensions
 * @param edge what a place outside of the picture holds
 * @param function of an element's neighbours, and of itself
 */
public record Stencil(String name, ValueType type, int channels, Edge edge, Function<Neighbours, Value> function) {
    private static final int TILE = 512;
    /** Bytes of a row of a tile: 16 for each of 128 threads. */
    private static final int ROW_BYTES = 2048;
    private static final int THREADS = 128;
    private static final int MOST_ROWS = 8;
    /** Rows more than a tile's that half as many rows take without a loss. */
    private static final int NEAR = 2;
    /** Elements with what surrounds them that a thread is to hold. */
    private static final int MOST_HELD = 240;

    /** The value of a place outside of a picture. */
    public enum Edge {
        /** Zero. */
        ZERO,
        /** What the nearest place within holds. */
        NEAREST
    }

    /** The elements around one. */
    @FunctionalInterface
    public interface Neighbours {
        /** The element this many rows below and this many columns to the right: in f32, of f64 in f64. */
        Value at(int down, int right);
    }

    /** How far one lies from the element. */
    private record Offset(int down, int right) { }

    public Stencil {
        NotNull.all("name, type, edge, function", name, type, edge, function);
        if (channels < 0) {
            throw new IllegalArgumentException("a picture has channels or none, got " + channels);
        }
    }

    /** A stencil of pictures without channels, zero outside. */
    public static Stencil of(String name, ValueType type, Function<Neighbours, Value> function) {
        return new Stencil(name, type, 0, Edge.ZERO, function);
    }

    /**
     * The sum of the elements around one, each times a weight: fused multiply-adds, one row after the other, each from
     * left to right, beginning with the first product.
     *
     * @param weights rows of weights, an odd number of rows that have an odd number each; 0 leaves an element out
     */
    public static Stencil weighted(String name, ValueType type, double[][] weights) {
        NotNull.all("name, type, weights", name, type, weights);
        int wide = weights.length == 0 ? 0 : weights[0].length;
        Map<Offset, Double> terms = new LinkedHashMap<>();
        for (double[] row : weights) {
            if (weights.length % 2 == 0 || wide % 2 == 0 || row.length != wide) {
                throw new IllegalArgumentException("weights are an odd number of rows of one odd length, got "
                        + weights.length + " of " + List.of(weights).stream().map(r -> r.length).toList());
            }
            int down = terms.size() / Math.max(1, wide);
            for (int i = 0; i < wide; i++) {
                if (!Double.isFinite(row[i])) {
                    throw new IllegalArgumentException("weights are finite, got " + row[i]);
                }
                terms.put(new Offset(down - weights.length / 2, i - wide / 2), row[i]);
            }
        }
        terms.values().removeIf(weight -> weight == 0);
        if (terms.isEmpty()) {
            throw new IllegalArgumentException("weights are not all zero, got " + weights.length + " rows of zeros");
        }
        return of(name, type, n -> {
            Value sum = null;
            for (Map.Entry<Offset, Double> term : terms.entrySet()) {
                Value x = n.at(term.getKey().down(), term.getKey().right());
                Value weight = Value.of(x.type(), term.getValue());
                sum = sum == null ? x.times(weight) : x.fma(weight, sum);
            }
            return sum;
        });
    }

    /**
     * A blur by binomial weights, near a Gaussian's: of a radius of 1 by 1, 2, 1 over 4, along each row from left to
     * right and then from row to row downwards, fused multiply-adds that begin with the first product. At edges the
     * nearest elements stand for what is outside.
     *
     * @param radius 1 to 7
     */
    public static Stencil blur(ValueType type, int radius) {
        Objects.requireNonNull(type, "type");
        if (radius < 1 || radius > 7) {
            throw new IllegalArgumentException("a blur has a radius of 1 to 7, got " + radius);
        }
        int side = 2 * radius + 1;
        double[] line = new double[side];
        line[0] = Math.scalb(1, -2 * radius);
        for (int i = 1; i < side; i++) {
            line[i] = line[i - 1] * (side - i) / i;
        }
        return of("blur", type, n -> along(line, down -> along(line, right -> n.at(down, right)))).with(Edge.NEAREST);
    }

    /** The sum of what is at places around one, each times a weight. */
    private static Value along(double[] weights, IntFunction<Value> at) {
        Value sum = null;
        for (int i = 0; i < weights.length; i++) {
            Value x = at.apply(i - weights.length / 2);
            Value weight = Value.of(x.type(), weights[i]);
            sum = sum == null ? x.times(weight) : x.fma(weight, sum);
        }
        return sum;
    }

    /** Sets the values outside of the picture. */
    public Stencil with(Edge other) {
        Objects.requireNonNull(other, "other");
        return new Stencil(name, type, channels, other, function);
    }

    /** A stencil of pictures with channels, the innermost dimension. */
    public Stencil withChannels(int count) {
        return new Stencil(name, type, count, edge, function);
    }

    /** The kernel: {@code x} and {@code y}. */
    public TileKernel kernel() {
        ValueType in = RowKernels.arithmetic(type);
        List<Offset> offsets = new ArrayList<>();
        function.apply((down, right) -> {
            offsets.add(new Offset(down, right));
            return Value.of(in, 0);
        });
        List<Offset> each = offsets.stream().distinct().toList();
        if (each.isEmpty()) {
            throw new IllegalArgumentException("stencil '" + name + "' is made of no element: take one with at(0, 0)");
        }
        return TileKernel.of(name, k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Dim[] dims = channels == 0 ? new Dim[] {rows, columns} : new Dim[] {rows, columns, Dim.of(channels)};
            Tensor x = k.in("x", type, dims), y = k.out("y", type, dims);
            k.forEachTile(List.of(k.steps(rows, channels == 0 ? height(each) : 1), k.steps(columns, channels == 0
                    ? ROW_BYTES / type.bytes() : Math.max(1, TILE / channels))), at -> {
                List<Tile> tiles = each.stream().map(offset -> tile(x, at, offset).to(in)).toList();
                y.store(at, Tile.map(tiles, values -> rounded(function.apply((down, right) ->
                        values.get(each.indexOf(new Offset(down, right)))))));
            });
        });
    }

    private Value rounded(Value value) {
        return type.isInteger() ? value.to(type, Rounding.NEAREST_EVEN) : value.to(type);
    }

    /** Rows of a tile: as many as a thread holds with what surrounds them. */
    private int height(List<Offset> each) {
        int side = ROW_BYTES / type.bytes() / THREADS;
        int wide = side + reach(each, Offset::right);
        // Arithmetic bounds bytes, and low tiles have more of it; memory bounds wider numbers: low tiles are faster.
        int height = type.bytes() == 1 || reach(each, Offset::down) > NEAR ? MOST_ROWS : MOST_ROWS / 2;
        while (height > 1 && (height + reach(each, Offset::down)) * wide > MOST_HELD) {
            height /= 2;
        }
        return height;
    }

    /** From the first to the last place that is taken, the element's own among them. */
    private static int reach(List<Offset> each, ToIntFunction<Offset> along) {
        return Math.max(0, each.stream().mapToInt(along).max().orElse(0)) - Math.min(0, each.stream().mapToInt(along)
                .min().orElse(0));
    }

    private Tile tile(Tensor x, Position at, Offset offset) {
        Span rows = at.get(0).plus(offset.down);
        Span columns = at.get(1).plus(offset.right);
        return edge == Edge.ZERO ? x.tile(rows, columns) : x.tile(rows.nearest(), columns.nearest());
    }
}
