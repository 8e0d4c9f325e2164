package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts of numbers, on top of what was counted. */
class HistogramTest {
    private static final int BINS = 19;

    @ParameterizedTest
    @CsvSource({"U8, 0, 256, 5000", "I32, -30, 60, 2048", "U8, 0, 20, 1"})
    void countsIntegers(ValueType type, int least, int bound, int n) {
        double[] x = new Random(n).ints(n, least, bound).asDoubleStream().toArray();
        double[] counts = new double[BINS];
        counts[3] = 100;
        double[] wanted = counts.clone();
        for (double number : x) {
            if (number >= 0 && number < BINS) {
                wanted[(int) number]++;
            }
        }
        assertArrayEquals(wanted, new KernelRun(Histogram.of(type, BINS)).set("x", x, n)
                .set("counts", counts, BINS).run().numbers("counts"));
    }

    @Test
    void otherNumbersOfBinsAreRefused() {
        assertEquals("a histogram has 1 to 4096 bins, got 0", assertThrows(IllegalArgumentException.class, () ->
                Histogram.of(ValueType.U8, 0)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> Histogram.of(ValueType.U8, 4097));
    }

    /** Of very few, of so many that lanes share copies of counts, and of as many as there can be; of several tiles. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"1, 700", "2, 700", "256, 140000", "300, 700", "1000, 700", "4096, 20000"})
    void hasAnyNumberOfBins(int bins, int n) {
        double[] x = new Random(bins).ints(n, -2, bins + 2).asDoubleStream().toArray();
        double[] wanted = new double[bins];
        for (double number : x) {
            if (number >= 0 && number < bins) {
                wanted[(int) number]++;
            }
        }
        assertArrayEquals(wanted, new KernelRun(Histogram.of(ValueType.I32, bins)).set("x", x, x.length)
                .set("counts", new double[bins], bins).run().numbers("counts"));
    }

    @Test
    void countsFloats() {
        double[] x = KernelRun.normal(ValueType.F32, 3000, 5);
        x[7] = Double.NaN;
        x[8] = Double.NEGATIVE_INFINITY;
        x[9] = Double.POSITIVE_INFINITY;
        x[10] = -2;
        double[] wanted = new double[BINS];
        for (double number : x) {
            float bin = ((float) number + 2) / 0.25f;
            if (bin >= 0 && bin < BINS) {
                wanted[(int) bin]++;
            }
        }
        assertArrayEquals(wanted, new KernelRun(Histogram.of(ValueType.F32, BINS)).set("x", x, x.length)
                .set("counts", new double[BINS], BINS).scalar("low", -2).scalar("width", 0.25).run().numbers("counts"));
    }

    /** Of loops: one that adds to a tensor alone, in which there is another, and one that adds to two tensors. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loopsAddUpBeforeTheyAddToTensors(boolean two) {
        int n = 3000;
        int each = 64;
        TileKernel kernel = TileKernel.of("loops", k -> {
            Dim length = k.dim("n");
            Tensor x = k.in("x", ValueType.I32, length), counts = k.inOut("counts", ValueType.I32, Dim.of(BINS));
            Tensor others = k.inOut("others", ValueType.I32, Dim.of(BINS));
            k.forEachTile(List.of(k.steps(length.dividedBy(6 * each), 1)), at -> k.loop(k.steps(Dim.of(2), 1), i ->
                    k.loop(k.steps(Dim.of(3), 1), j -> {
                        Tile numbers = x.outside(-1).tile(Span.of(at.get(0).start().times(Expr.of(2L)).plus(i.start())
                                .times(Expr.of(3L)).plus(j.start()).times(Expr.of((long) each)), each));
                        counts.scatter(Update.ADD, numbers, k.full(Value.i32(1), each));
                        (two ? others : counts).scatter(Update.ADD, numbers, k.full(Value.i32(2), each));
                    })));
        });
        double[] x = new Random(7).ints(n, -3, BINS + 3).asDoubleStream().toArray();
        double[] counts = new double[BINS];
        double[] others = new double[BINS];
        for (double number : x) {
            if (number >= 0 && number < BINS) {
                counts[(int) number] += two ? 1 : 3;
                others[(int) number] += two ? 2 : 0;
            }
        }
        KernelRun run = new KernelRun(kernel).set("x", x, n).set("counts", new double[BINS], BINS)
                .set("others", new double[BINS], BINS).run();
        assertArrayEquals(counts, run.numbers("counts"));
        assertArrayEquals(others, run.numbers("others"));
    }
}
