package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions of an element and those around it. */
class StencilTest {
    private static final double[][] BINOMIAL = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6},
            {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"5, 520, 0", "1, 1, 0", "3, 2, 0", "3, 20, 3"})
    void blursBytesWithTheNearestOutside(int rows, int columns, int channels) {
        int each = Math.max(1, channels);
        double[] x = new Random(rows).ints(rows * columns * each, 0, 256).asDoubleStream().toArray();
        double[] wanted = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            int sum = 0;
            for (int down = -2; down <= 2; down++) {
                for (int right = -2; right <= 2; right++) {
                    int row = Math.clamp(i / each / columns + down, 0, rows - 1);
                    int column = Math.clamp(i / each % columns + right, 0, columns - 1);
                    sum += (int) (BINOMIAL[down + 2][right + 2] * x[(row * columns + column) * each + i % each]);
                }
            }
            wanted[i] = Math.rint(sum / 256.0);
        }
        long[] shape = channels == 0 ? new long[] {rows, columns} : new long[] {rows, columns, channels};
        assertArrayEquals(wanted, new KernelRun(Stencil.blur(ValueType.U8, 2).withChannels(channels).kernel())
                .set("x", x, shape).out("y", shape).run().numbers("y"));
    }

    @ParameterizedTest
    @CsvSource({"F32, ZERO", "BF16, NEAREST"})
    void takesAnyFunction(ValueType type, Stencil.Edge edge) {
        int rows = 6;
        int columns = 530;
        double[] x = KernelRun.normal(type, rows * columns, 1);
        Stencil stencil = Stencil.of("ridge", type, n -> n.at(-1, 2).minus(n.at(1, 0)).abs().max(n.at(0, -3)))
                .with(edge);
        double[] wanted = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            int row = i / columns;
            int column = i % columns;
            float difference = Math.abs(at(x, rows, columns, row - 1, column + 2, edge)
                    - at(x, rows, columns, row + 1, column, edge));
            wanted[i] = KernelRun.rounded(type, Math.max(difference, at(x, rows, columns, row, column - 3, edge)));
        }
        assertArrayEquals(wanted, new KernelRun(stencil.kernel()).set("x", x, rows, columns).out("y", rows, columns)
                .run().numbers("y"));
    }

    private static float at(double[] x, int rows, int columns, int row, int column, Stencil.Edge edge) {
        boolean inside = row >= 0 && row < rows && column >= 0 && column < columns;
        return edge == Stencil.Edge.ZERO && !inside ? 0
                : (float) x[Math.clamp(row, 0, rows - 1) * columns + Math.clamp(column, 0, columns - 1)];
    }

    @Test
    void whatIsNoStencilIsRefused() {
        assertEquals("weights are an odd number of rows of one odd length, got 1 of [2]",
                assertThrows(IllegalArgumentException.class, () -> Stencil.weighted("w", ValueType.F32,
                        new double[][] {{1, 2}})).getMessage());
        assertEquals("weights are finite, got NaN", assertThrows(IllegalArgumentException.class,
                () -> Stencil.weighted("none", ValueType.F32, new double[][] {{Double.NaN}})).getMessage());
        assertEquals("weights are not all zero, got 1 rows of zeros", assertThrows(IllegalArgumentException.class,
                () -> Stencil.weighted("w", ValueType.F32, new double[][] {{0}})).getMessage());
        assertEquals("a blur has a radius of 1 to 7, got 8", assertThrows(IllegalArgumentException.class,
                () -> Stencil.blur(ValueType.F32, 8)).getMessage());
        assertEquals("stencil 'none' is made of no element: take one with at(0, 0)", assertThrows(
                IllegalArgumentException.class, () -> Stencil.of("none", ValueType.F32, _ -> Value.f32(1)).kernel())
                .getMessage());
    }
}
