package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.junit.GpuAssertions;
import dev.tilewright.junit.HostArray;
import dev.tilewright.junit.RequiresGpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.AssertionFailedError;

/** What users' tests are made of, on a GPU. */
@Tag("gpu")
@RequiresGpu(minimum = "sm_90")
class AssertionsGpuTest {
    private static Gpu gpu;

    @BeforeAll
    static void open() {
        gpu = Gpu.open();
    }

    @AfterAll
    static void close() {
        gpu.close();
    }

    private static HostArray random(ElementType type, long rows, long columns) {
        byte[] content = new byte[Math.toIntExact(rows * columns * type.bytes())];
        new Random(type.ordinal()).nextBytes(content);
        return HostArray.of(MemorySegment.ofArray(content), type, rows, columns);
    }

    @ParameterizedTest
    @EnumSource
    void buildersKernelsAreTheSameAsTheReference(ElementType type) {
        GpuAssertions.assertSameAsReference(gpu, TensorCopy.of(type).tile(8, 128 / type.bytes()).swizzle(Swizzle.B128)
                .step(ElementStep.SCALE).build(), Scalars.ofBits(3), random(type, 37, 256));
        GpuAssertions.assertSameAsReference(gpu, BulkCopy.of(type).build(), Scalars.NONE, random(type, 5, 999));
        GpuAssertions.assertSameAsReference(gpu, CpAsyncPipeline.of(type).step(ElementStep.ADD).build(),
                Scalars.ofBits(1), random(type, 3, 1001));
    }

    @Test
    void aDifferenceIsNamed() {
        ElementwiseKernel copy = BulkCopy.of(ElementType.F32).build();
        try (Buffer<float[]> from = gpu.upload(new float[] {1, 2, 3, 4}); Buffer<float[]> to = gpu.floats(4);
                Kernel kernel = gpu.load(copy)) {
            kernel.prepare(copy.launch(List.of(2L, 2L), Scalars.NONE), from, to).start();
            GpuAssertions.assertBufferEquals(new float[] {1, 2, 3, 4}, to, 2, 2);
            String message = assertThrows(AssertionFailedError.class,
                    () -> GpuAssertions.assertBufferEquals(new float[] {1, 2, 5, 4}, to, 2, 2)).getMessage();
            assertTrue(message.endsWith("1 of 4 elements differs, at [1, 0]: expected 5.0 (0x40A00000), got 3.0 "
                    + "(0x40400000)"), message);
        }
    }
}
