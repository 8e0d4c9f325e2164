package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * How often numbers occur: a kernel that adds to {@code counts}, of i32.
 *
 * <p>Numbers of bins are taken apart, {@code bin = high * columns + low}. Counts are then a product of matrices of ones
 * and zeros, {@code count[high, low] = sum over elements of (its high is this) (its low is this)}, which tensor cores
 * of 8-bit integers compute exactly, however many elements have one bin.
 */
public final class Histogram {
    private static final int MOST_BINS = 1 << 14;
    private static final int LEAST_ROWS = 16;
    private static final int LEAST_COLUMNS = 8;
    private static final int STEP = 512;
    /** Elements whose counts are added to memory at once. */
    private static final int TILE = 1 << 14;

    private Histogram() {
    }

    /**
     * Counts elements of {@code x}, of {@code n}: of integers number {@code i} in bin {@code i}; of floats those from
     * {@code low + i width} on and below the next in bin {@code i}, {@code low} and {@code width} scalars of the type
     * that elements are computed in: {@code floor((x - low) / width)}. What has no bin, NaNs too, is not counted.
     * Counts are added to what is there, and wrap.
     *
     * @param type u8, i32, f32, f64, f16 or bf16
     * @param bins how many {@code counts} has: 1 to 16,384
     */
    public static TileKernel of(ValueType type, int bins) {
        Objects.requireNonNull(type, "type");
        if (bins < 1 || bins > MOST_BINS) {
            throw new IllegalArgumentException("a histogram has 1 to " + MOST_BINS + " bins, got " + bins);
        }
        int bits = Math.max(Integer.SIZE - Integer.numberOfLeadingZeros(bins - 1) >> 1,
                Integer.numberOfTrailingZeros(LEAST_COLUMNS));
        int columns = 1 << bits;
        int rows = Math.max(LEAST_ROWS, Math.ceilDiv(bins, columns));
        return TileKernel.of("histogram", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", type, n), counts = k.inOut("counts", ValueType.I32, Dim.of(bins));
            UnaryOperator<Value> bin = type.isFloat() ? ofFloats(k, RowKernels.arithmetic(type))
                    : v -> v.to(ValueType.I32);
            k.forEachTile(x, TILE, at -> {
                Tile sums = k.fold(k.zeros(ValueType.I32, rows, columns), k.steps(Dim.of(TILE), STEP), (sum, i) -> {
                    Span places = Span.of(at.get(0).start().plus(i.start()), STEP);
                    Tile isThere = k.iota(places).map(place -> place.lessThan(Value.of(n.value())));
                    Tile number = isThere.map(x.tile(places).map(bin), (there, b) -> there.choose(b, Value.i32(-1)));
                    Tile high = number.map(b -> b.shiftRight(bits));
                    Tile low = number.map(b -> b.and(Value.i32(columns - 1)));
                    return sum.mma(isNumber(k, high, rows), isNumber(k, low, columns).transposed());
                });
                counts.update(Update.ADD, sums.reshaped((long) rows * columns), Span.of(Expr.of(0L), rows * columns));
            });
        });
    }

    /** 1 in row {@code i} where a number is {@code i}, elsewhere 0: a row for each of so many numbers. */
    private static Tile isNumber(TileScope k, Tile numbers, int count) {
        return numbers.map(k.iota(Span.of(0, count)).to(ValueType.I32).asColumn(), (number, row) ->
                number.isEqualTo(row).choose(Value.of(ValueType.I8, 1), Value.of(ValueType.I8, 0)));
    }

    private static UnaryOperator<Value> ofFloats(TileScope k, ValueType in) {
        Value low = k.scalar("low", in.element().orElseThrow()), width = k.scalar("width", in.element().orElseThrow());
        return v -> {
            Value x = v.to(in);
            return x.isNan().choose(Value.i32(-1), x.minus(low).dividedBy(width).floor().to(ValueType.I32));
        };
    }
}
