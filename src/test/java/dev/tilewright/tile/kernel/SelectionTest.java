package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The greatest of rows, and places drawn by shares. */
class SelectionTest {

    @ParameterizedTest
    @CsvSource({"F32, 3, 5000, 4", "BF16, 2, 90, 10", "F16, 2, 3, 5"})
    void sortsTheGreatest(ValueType type, int rows, int columns, int count) {
        double[] x = KernelRun.normal(type, rows * columns, columns);
        x[0] = -0.0;
        x[1] = 0.0;
        x[columns + 2] = Double.NaN;
        x[columns + 1] = Double.POSITIVE_INFINITY;
        KernelRun run = new KernelRun(Selection.top(type, count)).set("x", x, rows, columns)
                .out("values", rows, count).out("places", rows, count).run();
        for (int row = 0; row < rows; row++) {
            int first = row * columns;
            // Java orders doubles as the kernel does: -0 before 0, NaNs last.
            List<Integer> order = IntStream.range(0, columns).boxed().sorted(Comparator.<Integer, Double>comparing(i ->
                    x[first + i]).reversed().thenComparing(i -> i)).toList();
            for (int i = 0; i < count; i++) {
                double place = run.numbers("places")[row * count + i];
                double value = run.numbers("values")[row * count + i];
                assertEquals(i < columns ? order.get(i) : -1, place, 0.0);
                assertEquals(i < columns ? x[first + order.get(i)] : Double.NaN, value);
            }
        }
    }

    /** The generator as its authors wrote it down. */
    private static int philox(int c0, int c1, int c2, int c3, int k0, int k1) {
        int[] c = {c0, c1, c2, c3};
        for (int round = 0; round < 10; round++) {
            long first = (c[0] & 0xFFFFFFFFL) * 0xD2511F53L;
            long second = (c[2] & 0xFFFFFFFFL) * 0xCD9E8D57L;
            c = new int[] {(int) (second >>> 32) ^ c[1] ^ k0 + round * 0x9E3779B9, (int) second,
                (int) (first >>> 32) ^ c[3] ^ k1 + round * 0xBB67AE85, (int) first};
        }
        return c[0];
    }

    /** Of Random123's known answers. */
    @Test
    void philoxGivesKnownAnswers() {
        assertEquals(0x6627E8D5, philox(0, 0, 0, 0, 0, 0));
        assertEquals(0x408F276D, philox(-1, -1, -1, -1, -1, -1));
        assertEquals(0xD16CFE09, philox(0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0));
    }

    /** What each number of a row counts when its place is drawn. */
    private static float[] scores(float[] x, int step, int sequence, long seed, float temperature) {
        float[] u = new float[x.length];
        float[] rest = new float[x.length];
        for (int i = 0; i < x.length; i++) {
            int word = philox(i, 0, step, sequence, (int) seed, (int) (seed >>> 32));
            u[i] = ((float) (word & 0xFFFFFFFFL) + 0.5f) * 0x1p-32f;
            rest[i] = 1 - u[i];
        }
        float[] waited = log(rest);
        for (int i = 0; i < x.length; i++) {
            waited[i] = u[i] < 0x1p-12f ? Math.fma(u[i] * u[i], 0.5f, u[i]) : -waited[i];
        }
        float[] logs = log(waited);
        float[] scores = new float[x.length];
        for (int i = 0; i < x.length; i++) {
            scores[i] = temperature > 0 ? x[i] / temperature - logs[i] : x[i];
        }
        return scores;
    }

    /** The logarithm's own bits are tested elsewhere. */
    private static float[] log(float[] x) {
        float[] y = new float[x.length];
        ElementKernels.map("log", ValueType.F32, 1, Value::log).onCpu().set("x", x, x.length).set("y", y, x.length)
                .run();
        return y;
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource({"F32, 2, 1100, 0.7, 5", "BF16, 20, 33, 1, 0", "F16, 2, 100, 0, 9"})
    void drawsByAStatedSequence(ValueType type, int rows, int columns, float temperature, int step) {
        long seed = 0x123456789ABCDEFL;
        double[] x = KernelRun.normal(type, rows * columns, 3);
        double[] sequence = IntStream.range(0, rows).mapToDouble(i -> i * 77 + 4_000_000_000L).toArray();
        double[] wanted = new double[rows];
        for (int row = 0; row < rows; row++) {
            float[] numbers = new float[columns];
            for (int i = 0; i < columns; i++) {
                numbers[i] = (float) x[row * columns + i];
            }
            float[] scores = scores(numbers, step, (int) (long) sequence[row], seed, temperature);
            wanted[row] = IntStream.range(0, columns).boxed().max(Comparator.<Integer, Float>comparing(i -> scores[i])
                    .thenComparing(Comparator.reverseOrder())).orElseThrow();
        }
        assertArrayEquals(wanted, new KernelRun(Selection.sample(type)).set("x", x, rows, columns)
                .set("sequence", sequence, rows).out("y", rows).scalar("temperature", temperature).scalar("step", step)
                .scalar("seed", seed).run().numbers("y"));
    }

    /** Drawn among all that top gives it is the same place; a share of nearly nothing leaves the greatest alone. */
    @Test
    void drawsAmongTheGreatest() {
        int rows = 8;
        int columns = 12;
        double[] x = KernelRun.normal(ValueType.F32, rows * columns, 4);
        double[] sequence = IntStream.range(0, rows).asDoubleStream().toArray();
        KernelRun top = new KernelRun(Selection.top(ValueType.F32, columns)).set("x", x, rows, columns)
                .out("values", rows, columns).out("places", rows, columns).run();
        double[] all = new KernelRun(Selection.sample(ValueType.F32)).set("x", x, rows, columns)
                .set("sequence", sequence, rows).out("y", rows).scalar("temperature", 1.5).scalar("step", 2)
                .scalar("seed", 3).run().numbers("y");
        for (double share : new double[] {1, 1e-6, 0.5}) {
            double[] y = new KernelRun(Selection.sampleOfTop(ValueType.F32)).set("x", top.numbers("values"), rows,
                    columns).set("places", top.numbers("places"), rows, columns).set("sequence", sequence, rows)
                    .out("y", rows).scalar("temperature", 1.5).scalar("step", 2).scalar("seed", 3)
                    .scalar("share", share).run().numbers("y");
            double[] places = top.numbers("places");
            for (int row = 0; row < rows; row++) {
                int kept = kept(top.numbers("values"), row * columns, columns, share);
                int first = row * columns;
                int at = row;
                assertTrue(IntStream.range(0, kept).anyMatch(i -> places[first + i] == y[at]), "row " + row);
                if (share == 1) {
                    assertEquals(all[row], y[row]);
                }
            }
        }
    }

    /** How many make up a share of all, of numbers in descending order. */
    private static int kept(double[] x, int first, int columns, double share) {
        double[] e = IntStream.range(0, columns).mapToDouble(i -> Math.exp((x[first + i] - x[first]) / 1.5)).toArray();
        double sum = 0;
        for (int i = 0; i < columns; i++) {
            if (sum >= share * Arrays.stream(e).sum()) {
                return i;
            }
            sum += e[i];
        }
        return columns;
    }

    /** A place is drawn as often as its share says, within what chance allows. */
    @Test
    void sharesAreThoseOfTheNumbers() {
        int rows = Thorough.of(60, 300);
        double[] x = new double[rows * 3];
        for (int i = 0; i < x.length; i++) {
            x[i] = Math.log(i % 3 + 1);
        }
        float[] numbers = new float[x.length];
        IntStream.range(0, x.length).forEach(i -> numbers[i] = (float) x[i]);
        int[] y = new int[rows];
        Selection.sample(ValueType.F32).onCpu().set("x", numbers, rows, 3).set("sequence", IntStream.range(0, rows)
                .toArray(), rows).set("y", y, rows).scalar("temperature", 1).scalar("step", 0).scalar("seed", 1).run();
        for (int place = 0; place < 3; place++) {
            int wanted = place;
            double share = Arrays.stream(y).filter(drawn -> drawn == wanted).count() / (double) rows;
            assertEquals((place + 1) / 6.0, share, 4 * Math.sqrt(0.25 / rows));
        }
    }

    @Test
    void noneOfThemIsRefused() {
        assertEquals("the greatest 1 or more are chosen, got 0", assertThrows(IllegalArgumentException.class, () ->
                Selection.top(ValueType.F32, 0)).getMessage());
    }
}
