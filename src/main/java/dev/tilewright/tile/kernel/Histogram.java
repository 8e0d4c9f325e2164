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
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** How often numbers occur: a kernel that adds to {@code counts}, of i32. */
public final class Histogram {
    private static final int MOST_BINS = 4096;
    private static final int TILE = 16384;
    /** Tiles of a block, which adds its counts to those of all once. */
    private static final int TILES = 4;

    private Histogram() { }

    /**
     * Counts elements of {@code x}, of {@code n}: of integers number {@code i} in bin {@code i}; of floats those from
     * {@code low + i width} on and below the next in bin {@code i}, {@code low} and {@code width} scalars of the type
     * that elements are computed in: {@code floor((x - low) / width)}. What has no bin, NaNs too, is not counted.
     * Counts are added to what is there, and wrap.
     *
     * @param type u8, i32, f32, f64, f16 or bf16
     * @param bins how many {@code counts} has: 1 to 4,096
     */
    public static TileKernel of(ValueType type, int bins) {
        Objects.requireNonNull(type, "type");
        if (bins < 1 || bins > MOST_BINS) {
            throw new IllegalArgumentException("a histogram has 1 to " + MOST_BINS + " bins, got " + bins);
        }
        return TileKernel.of("histogram", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", type, n), counts = k.inOut("counts", ValueType.I32, Dim.of(bins));
            UnaryOperator<Value> bin = type.isFloat() ? ofFloats(k, RowKernels.arithmetic(type))
                    : v -> v.to(ValueType.I32);
            Dim blocks = n.dividedBy(TILE * TILES);
            k.forEachTile(List.of(k.steps(blocks, 1)), at -> k.loop(k.steps(Dim.of(TILES), 1), i -> {
                Expr start = at.get(0).start().times(TILES).plus(i.start()).times(TILE);
                Span span = Span.of(start, TILE);
                Tile numbers = x.outside(0).tile(span).map(bin), ones = k.full(Value.i32(1), TILE);
                Expr isWhole = start.plus(TILE).atMost(n.value());
                k.when(isWhole, () -> counts.scatter(Update.ADD, numbers, ones));
                k.when(isWhole.not(), () -> counts.scatter(Update.ADD, k.iota(span).map(numbers, (place, number) ->
                        place.lessThan(Value.of(n.value())).choose(number, Value.i32(-1))), ones));
            }));
        });
    }

    private static UnaryOperator<Value> ofFloats(TileScope k, ValueType in) {
        Value low = k.scalar("low", in), width = k.scalar("width", in);
        return v -> {
            Value x = v.to(in);
            return x.isNan().choose(Value.i32(-1), x.minus(low).dividedBy(width).floor().to(ValueType.I32));
        };
    }
}
