package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.program.value.ValueType;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows by their numbers, and their gradients, whose sums have an order. */
class EmbeddingKernelsTest {
    private static final int VOCABULARY = 11;

    /** Some of them not in the table. */
    private static double[] rows(int tokens) {
        return new Random(tokens).ints(tokens, -1, VOCABULARY + 1).asDoubleStream().toArray();
    }

    private static boolean isThere(double row) {
        return row >= 0 && row < VOCABULARY;
    }

    @ParameterizedTest
    @CsvSource({"BF16, 70, 40", "F32, 1, 7", "F16, 9, 520"})
    void takesRows(ValueType type, int tokens, int width) {
        double[] table = KernelRun.normal(type, VOCABULARY * width, 1);
        double[] rows = rows(tokens);
        double[] wanted = new double[tokens * width];
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = isThere(rows[i / width]) ? table[(int) rows[i / width] * width + i % width] : 0;
        }
        assertArrayEquals(wanted, new KernelRun(EmbeddingKernels.gather(type)).set("table", table, VOCABULARY, width)
                .set("rows", rows, tokens).out("y", tokens, width).run().numbers("y"));
    }

    @ParameterizedTest
    @CsvSource({"BF16, 70, 40", "F32, 100, 7", "F16, 1, 130"})
    void addsInAscendingOrder(ValueType type, int tokens, int width) {
        double[] dy = KernelRun.normal(type, tokens * width, 2);
        double[] rows = rows(tokens);
        double[] gradient = KernelRun.normal(ValueType.F32, VOCABULARY * width, 3);
        double[] wanted = gradient.clone();
        for (int i = 0; i < dy.length; i++) {
            if (isThere(rows[i / width])) {
                int at = (int) rows[i / width] * width + i % width;
                wanted[at] = (float) wanted[at] + (float) dy[i];
            }
        }
        assertArrayEquals(wanted, new KernelRun(EmbeddingKernels.gradient(type)).set("dy", dy, tokens, width)
                .set("rows", rows, tokens).set("gradient", gradient, VOCABULARY, width).run().numbers("gradient"));
    }
}
