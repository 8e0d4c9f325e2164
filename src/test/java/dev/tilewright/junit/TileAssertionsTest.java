package dev.tilewright.junit;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.KernelTemplate;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.ElementKernels;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The assertions of users' tests take tile kernels. */
class TileAssertionsTest {
    private final float[] x = new float[6 * 40];

    @BeforeEach
    void fill() {
        for (int i = 0; i < x.length; i++) {
            x[i] = i % 9 / 2f;
        }
    }

    private static HostArray bf16(long... shape) {
        return HostArray.of(MemorySegment.ofArray(new byte[(int) Arrays.stream(shape).reduce(2, (a, b) -> a * b)]),
                ElementType.BF16, shape);
    }

    @Test
    void aGpuLeavesTheBytesOfTheCpu() {
        float[] y = new float[x.length];
        try (Gpu gpu = Gpu.emulated()) {
            GpuAssertions.assertSameAsOnCpu(gpu, RowKernels.softmax(F32), Map.of("x", HostArray.of(x, 6, 40), "y",
                    HostArray.of(y, 6, 40)), Map.of());
            GpuAssertions.assertSameAsOnCpu(gpu, ElementKernels.scale(F32, 2), Map.of("x", HostArray.of(x, 6, 40), "y",
                    HostArray.of(y, 6, 40)), Map.of("factor", 3));
        }
        assertEquals(0, y[5], 0, "arrays are not changed");
    }

    @Test
    void programsOfATargetAreFreeOfHazards() {
        HazardReport report = HazardFree.assertHazardFree(Gemm.of(BF16).kernel(), Target.SM_90A,
                Map.of("a", bf16(80, 32), "b", bf16(32, 72), "c", bf16(80, 72)), Map.of());
        assertTrue(report.isClean() && report.complete(), report::toString);
    }

    /** What another program leaves, in the place of the kernel's. */
    @Test
    void aHazardIsInTheMessage() {
        KernelTemplate racing = new Racing();
        AssertionFailedError e = assertThrows(AssertionFailedError.class, () -> HazardFree.assertHazardFree(racing,
                Target.SM_90A, Map.of("in", HostArray.of(new float[64]), "out", HostArray.of(new float[64])),
                Map.of()));
        assertTrue(e.getMessage().startsWith("kernel 'reversal' is not free of hazards:"), e::getMessage);
    }

    @Test
    void arraysThatDoNotSuitAreRefused() {
        try (Gpu gpu = Gpu.emulated()) {
            assertEquals("kernel 'softmax' has the arrays [x, y], got [x, z]", assertThrows(
                    IllegalArgumentException.class, () -> GpuAssertions.assertSameAsOnCpu(gpu, RowKernels.softmax(F32),
                            Map.of("x", HostArray.of(x, 6, 40), "z", HostArray.of(x, 6, 40)), Map.of())).getMessage());
            String message = assertThrows(IllegalArgumentException.class, () -> HazardFree.assertHazardFree(
                    RowKernels.softmax(BF16), Target.SM_80, Map.of("x", HostArray.of(x, 6, 40), "y", bf16(6, 40)),
                    Map.of())).getMessage();
            assertTrue(message.startsWith("kernel 'softmax': array 'x' has elements of bf16, got ")
                    && message.endsWith(": give its memory and type, with HostArray.of(memory, ElementType.BF16, …)"),
                    message);
        }
    }

    /** Launches a program with a race. */
    private record Racing() implements KernelTemplate {
        @Override
        public String name() {
            return "reversal";
        }

        @Override
        public List<Launchable.Array> arrays() {
            return List.of(new Launchable.Array("in", ElementType.F32, false),
                    new Launchable.Array("out", ElementType.F32, true));
        }

        @Override
        public List<Parameter.Scalar> scalars() {
            return List.of();
        }

        @Override
        public Launch launch(Map<String, ArrayShape> shapes, Scalars scalars, Target target, int multiprocessors) {
            return Reversal.launch(false);
        }
    }
}
