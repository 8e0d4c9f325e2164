package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.value.ValueType;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** Of very few, and of so many that a bin's number has no power of two of them. */
    @ParameterizedTest
    @CsvSource({"1", "2", "1000"})
    void hasAnyNumberOfBins(int bins) {
        double[] x = new Random(bins).ints(700, -2, bins + 2).asDoubleStream().toArray();
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
}
