package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.WrongGpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Value;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.AssertionFailedError;

/** On emulated GPUs, one that is right, and ones that make a mistake. */
class GpuAssertionsTest {
    private static final ElementwiseKernel SCALE = TensorCopy.of(ElementType.F32).tile(8, 32).step(ElementStep.SCALE)
            .build();

    private static HostArray matrix(int rows, int columns) {
        float[] matrix = new float[rows * columns];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = i;
        }
        return HostArray.of(matrix, rows, columns);
    }

    @Test
    void aKernelThatIsRightPasses() {
        try (Gpu gpu = Gpu.emulated()) {
            GpuAssertions.assertSameAsReference(gpu, SCALE, Scalars.of("scalar", 2), matrix(37, 64));
            GpuAssertions.assertSameAsReference(gpu, Reversal.launch(true), matrix(1, 64), HostArray.of(new float[64]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyElementTypePasses(ElementType type) {
        byte[] content = new byte[20 * 16 * type.bytes()];
        new Random(type.ordinal()).nextBytes(content);
        try (Gpu gpu = Gpu.emulated()) {
            GpuAssertions.assertSameAsReference(gpu, BulkCopy.of(type).build(), Scalars.NONE,
                    HostArray.of(MemorySegment.ofArray(content), type, 20, 16));
        }
    }

    @Test
    void aStepOfTwoArraysAndAnEmptyOnePass() {
        try (Gpu gpu = Gpu.emulated()) {
            GpuAssertions.assertSameAsReference(gpu, VectorCopy.of(ElementType.F32).step(Value::plus).build(),
                    Scalars.NONE, matrix(5, 7), matrix(5, 7));
            GpuAssertions.assertSameAsReference(gpu, SCALE, Scalars.of("scalar", 2), matrix(0, 64));
        }
    }

    /** The third byte of element [1, 2] of the result, 66 times 2. */
    @Test
    void theFirstDifferenceIsNamed() {
        try (Gpu gpu = WrongGpu.settingByte(1, 4 * 66 + 2, (byte) 0x03)) {
            AssertionFailedError failure = assertThrows(AssertionFailedError.class,
                    () -> GpuAssertions.assertSameAsReference(gpu, SCALE, Scalars.of("scalar", 2), matrix(37, 64)));
            assertEquals("kernel '" + SCALE.program().name() + "', 'result_map' (buffer 1): 1 of 2368 elements "
                    + "differs, at [1, 2]: expected 132.0 (0x43040000), "
                    + "got 131.0 (0x43030000)", failure.getMessage());
            assertEquals("132.0 (0x43040000)", failure.getExpected().getValue());
            assertEquals("131.0 (0x43030000)", failure.getActual().getValue());
        }
    }

    @Test
    void aSourceThatChangesIsADifferenceToo() {
        try (Gpu gpu = WrongGpu.settingByte(0, 3, (byte) 0x40)) {
            String message = assertThrows(AssertionFailedError.class, () -> GpuAssertions.assertSameAsReference(gpu,
                    Reversal.launch(true), matrix(1, 64), HostArray.of(new float[64]))).getMessage();
            assertEquals("kernel 'reversal', 'source' (buffer 0): 1 of 64 elements differs, at [0, 0]: expected 0.0 "
                    + "(0x00000000), "
                    + "got 2.0 (0x40000000)", message);
        }
    }

    @Test
    void aWriteBehindTheBufferIsFound() {
        try (Gpu gpu = WrongGpu.settingByte(1, 256 + 5, (byte) 1)) {
            String message = assertThrows(AssertionFailedError.class, () -> GpuAssertions.assertSameAsReference(gpu,
                    Reversal.launch(true), matrix(1, 64), HostArray.of(new float[64]))).getMessage();
            assertEquals("kernel 'reversal', 'result' (buffer 1): the GPU wrote 0x01 5 bytes behind its end", message);
        }
    }

    @Test
    void whatTheKernelDoesNotTakeIsRefused() {
        try (Gpu gpu = Gpu.emulated()) {
            assertEquals("kernel '" + SCALE.program().name() + "' takes 1 arrays of f32 of one shape, got [f64 [2]]",
                    assertThrows(IllegalArgumentException.class, () -> GpuAssertions.assertSameAsReference(gpu, SCALE,
                            Scalars.of("scalar", 2), HostArray.of(new double[2]))).getMessage());
            assertThrows(IllegalArgumentException.class, () -> GpuAssertions.assertSameAsReference(gpu, SCALE,
                    Scalars.of("scalar", 2)));
        }
    }

    @Test
    void nothingStaysOnTheGpu() {
        try (Gpu gpu = Gpu.emulated()) {
            long free = gpu.memory().free();
            GpuAssertions.assertSameAsReference(gpu, SCALE, Scalars.of("scalar", 2), matrix(37, 64));
            assertEquals(free, gpu.memory().free());
        }
    }

    @Test
    void buffersAreComparedWithArrays() {
        try (Gpu gpu = Gpu.emulated(); Buffer<float[]> floats = gpu.upload(new float[] {1, 2, 3, 4, 5, 6});
                Buffer<int[]> ints = gpu.upload(new int[] {1, -1}); Buffer<byte[]> bytes =
                        gpu.upload(new byte[] {1, -1});
                Buffer<double[]> doubles = gpu.upload(new double[] {0.5}); Buffer<short[]> shorts =
                        gpu.upload(ArrayType.SHORTS, new short[] {0x3F80, 0x4000}); Buffer<long[]> longs =
                        gpu.upload(ArrayType.LONGS, new long[] {1L << 40})) {
            GpuAssertions.assertBufferEquals(new float[] {1, 2, 3, 4, 5, 6}, floats);
            GpuAssertions.assertBufferEquals(new int[] {1, -1}, ints);
            GpuAssertions.assertBufferEquals(new byte[] {1, -1}, bytes);
            GpuAssertions.assertBufferEquals(new double[] {0.5}, doubles);
            GpuAssertions.assertBufferEquals(new short[] {0x3F80, 0x4000}, shorts);
            GpuAssertions.assertBufferEquals(new long[] {1L << 40}, longs);
            difference("2 of 6 elements differ, the first at [1, 0] and the last at [1, 2]: expected 40.0 "
                    + "(0x42200000), "
                    + "got 4.0 (0x40800000) at the first",
                    () -> GpuAssertions.assertBufferEquals(new float[] {1, 2, 3, 40, 5, 60}, floats, 2, 3));
            difference("1 of 2 elements differs, at [1]: expected 1 (0x00000001), got -1 (0xFFFFFFFF)",
                    () -> GpuAssertions.assertBufferEquals(new int[] {1, 1}, ints));
            difference("1 of 2 elements differs, at [1]: expected 3 (0x0003), got 16384 (0x4000)",
                    () -> GpuAssertions.assertBufferEquals(new short[] {0x3F80, 3}, shorts));
            difference("1 of 2 elements differs, at [1]: expected 1.0 (0x3F80), got 2.0 (0x4000)",
                    () -> GpuAssertions.assertBufferEquals(
                    HostArray.of(MemorySegment.ofArray(new short[] {0x3F80, 0x3F80}),
                            ElementType.BF16), shorts));
            difference("1 of 1 element differs, at [0]: expected 1 (0x0000000000000001), got 1099511627776 "
                    + "(0x0000010000000000)", () -> GpuAssertions.assertBufferEquals(new long[] {1}, longs));
            difference("1 of 1 element differs, at [0]: expected 0.25 (0x3FD0000000000000), got 0.5 "
                    + "(0x3FE0000000000000)", () -> GpuAssertions.assertBufferEquals(new double[] {0.25}, doubles));
            assertEquals("expected f32 [5], which has 20 bytes, got a buffer of 24 bytes",
                    assertThrows(AssertionFailedError.class,
                    () -> GpuAssertions.assertBufferEquals(new float[5], floats)).getMessage());
            assertThrows(IllegalArgumentException.class, () -> GpuAssertions.assertBufferEquals(new float[6], floats, 2,
                    2));
        }
    }

    private static void difference(String sentence, Runnable assertion) {
        String message = assertThrows(AssertionFailedError.class, assertion::run).getMessage();
        assertTrue(message.endsWith(": " + sentence), message);
    }
}
