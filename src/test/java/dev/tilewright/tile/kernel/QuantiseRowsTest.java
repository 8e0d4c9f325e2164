package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows in 8 bits, each by its own scale. */
class QuantiseRowsTest {

    @ParameterizedTest
    @CsvSource({"BF16, I8, 0, 5, 300", "F32, E4M3, 0, 3, 17", "F16, E4M3, 128, 20, 200", "F32, I8, 7, 17, 20"})
    void dividesByTheGreatest(ValueType from, ValueType to, int group, int rows, int columns) {
        double[] x = KernelRun.normal(from, rows * columns, columns);
        for (int i = 0; i < Math.min(columns, group == 0 ? columns : group); i++) {
            x[columns + i] = 0;
        }
        QuantiseRows kernel = QuantiseRows.of(from, to);
        int wide = group == 0 ? columns : group;
        int groups = Math.ceilDiv(columns, wide);
        KernelRun run = new KernelRun((group == 0 ? kernel : kernel.withGroups(group)).kernel(),
                to == ValueType.I8 ? Target.SM_80 : Target.SM_89)
                .set("x", x, rows, columns).out("q", rows, columns);
        run = group == 0 ? run.out("scales", rows) : run.out("scales", rows, groups);
        double[] scales = run.run().numbers("scales");
        double[] q = run.numbers("q");
        for (int i = 0; i < x.length; i++) {
            int row = i / columns;
            int first = i % columns / wide * wide;
            float greatest = 0;
            for (int j = first; j < Math.min(columns, first + wide); j++) {
                greatest = Math.max(greatest, (float) Math.abs(x[row * columns + j]));
            }
            float scale = greatest / (to == ValueType.I8 ? 127 : 448);
            assertEquals(scale, scales[row * groups + first / wide]);
            float quotient = scale == 0 ? 0 : (float) x[i] / scale;
            assertEquals(to == ValueType.I8 ? Math.rint(quotient) : KernelRun.rounded(to, quotient), q[i], 0.0);
        }
    }

    @Test
    void whatIsNotDoneIsRefused() {
        assertEquals("rows are quantised to i8 or e4m3, got e5m2", assertThrows(IllegalArgumentException.class, () ->
                QuantiseRows.of(ValueType.F32, ValueType.E5M2)).getMessage());
        assertEquals("a group has at least 1 column, got 0", assertThrows(IllegalArgumentException.class, () ->
                QuantiseRows.of(ValueType.F32, ValueType.I8).withGroups(0)).getMessage());
    }
}
