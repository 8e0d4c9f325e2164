package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Convolution;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Convolutions against seven loops, on small integers, of which every sum is exact. */
class ConvTest {
    private record Case(ValueType type, Convolution geometry, int images, List<Integer> extents, int channels,
            int filters) { }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(ValueType.BF16, Convolution.square(3, 1, 1), 2, List.of(5, 7), 40, 20),
                new Case(ValueType.F16, new Convolution(List.of(3, 2), List.of(2, 1), List.of(2, 3), List.of(1, 2)), 1,
                        List.of(9, 6), 5, 70),
                new Case(ValueType.BF16, new Convolution(List.of(2, 3, 1), List.of(1, 2, 1), List.of(1, 1, 2),
                        List.of(1, 0, 1)), 2, List.of(3, 5, 4), 9, 10),
                new Case(ValueType.F32, new Convolution(List.of(4), List.of(3), List.of(1), List.of(2)), 3, List.of(11),
                        3, 4),
                new Case(ValueType.F16, Convolution.square(1, 1, 0), 1, List.of(3, 3), 33, 1));
    }

    private static double[] numbers(int count, int most, long seed) {
        return new Random(seed).ints(count, -most, most + 1).asDoubleStream().toArray();
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @MethodSource("cases")
    void isTheSumUnderTheFilter(Case c) {
        int[] in = c.extents.stream().mapToInt(i -> i).toArray();
        int pixels = Arrays.stream(in).reduce(1, (a, b) -> a * b);
        int elements = c.geometry.filter().stream().reduce(1, (a, b) -> a * b);
        long outputs = c.images;
        for (int d = 0; d < in.length; d++) {
            outputs *= c.geometry.outputs(d, in[d]);
        }
        double[] x = numbers(c.images * pixels * c.channels, 3, 1);
        double[] w = numbers(elements * c.channels * c.filters, 2, 2);
        double[] bias = numbers(c.filters, 9, 3);
        long[] shape = Stream.of(List.of(c.images), c.extents, List.of(c.channels)).flatMap(List::stream)
                .mapToLong(i -> i).toArray();
        double[] y = new KernelRun(Conv.of(c.type, c.geometry).withBias().with(Activation.RELU).kernel())
                .set("x", x, shape).set("w", w, elements, c.channels, c.filters).set("bias", bias, c.filters)
                .out("y", outputs, c.filters).run().numbers("y");
        double[] wanted = new double[y.length];
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = KernelRun.rounded(c.type, Math.max(0, bias[i % c.filters] + sum(c, in, x, w, i / c.filters,
                    i % c.filters)));
        }
        assertArrayEquals(wanted, y);
    }

    private static double sum(Case c, int[] in, double[] x, double[] w, int output, int filter) {
        double sum = 0;
        int elements = w.length / c.channels / c.filters;
        for (int element = 0; element < elements; element++) {
            int rest = output;
            int of = element;
            int pixel = 0;
            int size = 1;
            boolean inside = true;
            for (int d = in.length - 1; d >= 0; d--) {
                int outputs = (int) c.geometry.outputs(d, in[d]);
                int at = rest % outputs * c.geometry.stride().get(d) - c.geometry.padding().get(d)
                        + of % c.geometry.filter().get(d) * c.geometry.dilation().get(d);
                inside &= at >= 0 && at < in[d];
                pixel += at * size;
                size *= in[d];
                rest /= outputs;
                of /= c.geometry.filter().get(d);
            }
            for (int channel = 0; channel < c.channels && inside; channel++) {
                sum += x[(rest * size + pixel) * c.channels + channel]
                        * w[(element * c.channels + channel) * c.filters + filter];
            }
        }
        return sum;
    }

    @Test
    void aResultOfAnotherSizeIsRefused() {
        KernelRun run = new KernelRun(Conv.of(ValueType.F32, Convolution.square(3, 2, 0)).kernel())
                .set("x", new double[2 * 7 * 9], 2, 7, 9, 1).set("w", new double[9], 9, 1, 1).out("y", 23, 1);
        assertEquals("kernel 'conv_2d': dimension 'images*outputs(height 3/2/1/0)*outputs(width 3/2/1/0)' is 23 in "
                + "tensor 'y', and the kernel's is 24 where images = 2, height = 7, width = 9",
                assertThrows(IllegalArgumentException.class, run::run).getMessage());
    }
}
