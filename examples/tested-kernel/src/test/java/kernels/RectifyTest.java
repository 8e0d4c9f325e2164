package kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.junit.GpuAssertions;
import dev.tilewright.junit.HazardFree;
import dev.tilewright.junit.HostArray;
import dev.tilewright.junit.RequiresGpu;
import dev.tilewright.layout.Shape;
import dev.tilewright.program.Scalars;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** On every machine: the order of accesses, and the bytes. On one with a GPU: the bytes that it leaves. */
class RectifyTest {
    private static final int ROWS = 37;
    private static final int COLUMNS = 68;

    private final float[] matrix = new float[ROWS * COLUMNS];

    RectifyTest() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = (float) random.nextDouble(-1, 1);
        }
    }

    @Test
    void accessesAreOrdered() {
        HazardFree.assertHazardFree(Rectify.KERNEL, Shape.of(ROWS, COLUMNS), Scalars.NONE);
    }

    @Test
    void nothingBelowZeroIsLeft() {
        try (Gpu gpu = Gpu.openOrEmulated(System.err::println); Kernel kernel = gpu.load(Rectify.KERNEL);
                Buffer<float[]> from = gpu.upload(matrix); Buffer<float[]> to = gpu.floats(matrix.length)) {
            kernel.prepare(Shape.of(ROWS, COLUMNS), from, to).start();
            float[] result = to.download();
            for (int i = 0; i < matrix.length; i++) {
                assertEquals(Math.max(0, matrix[i]), result[i], "element " + i);
            }
        }
    }

    @Test
    @RequiresGpu(minimum = "sm_90")
    void aGpuLeavesTheBytesOfTheReference() {
        try (Gpu gpu = Gpu.open()) {
            GpuAssertions.assertSameAsReference(gpu, Rectify.KERNEL, Scalars.NONE, HostArray.of(matrix, ROWS, COLUMNS));
        }
    }
}
