package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.builder.Schedule;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two products of one matrix that go through tensor cores side by side. */
class GatedGemmTest {

    /** The products are those of the plain kernel, by themselves. */
    @ParameterizedTest
    @OrdinaryShare(4)
    @CsvSource({"BF16, SILU, 70, 130, 136, none", "BF16, NONE, 200, 88, 40, tile=128x128", "F16, RELU, 3, 20, 72, none",
            "BF16, SILU, 130, 72, 200, tile=128x64 groups=2 steps=1 ahead=0",
            "BF16, SILU, 300, 200, 72, tile=256x64 cluster=2x1 stages=2",
            "F16, SILU, 200, 150, 80, tile=64x128 cluster=1x2 early=1", "BF16, SILU, 40, 50, 33, none"})
    void joinsTwoProducts(ValueType type, Activation activation, int m, int n, int k, String schedule) {
        double[] a = KernelRun.normal(type, m * k, 1);
        double[] gate = KernelRun.normal(type, n * k, 2);
        double[] up = KernelRun.normal(type, n * k, 3);
        double[] opened = product(type, activation, a, gate, m, n, k);
        double[] sums = product(type, Activation.NONE, a, up, m, n, k);
        double[] wanted = new double[m * n];
        Arrays.setAll(wanted, i -> KernelRun.rounded(type, (float) opened[i] * (float) sums[i]));
        TileKernel kernel = GatedGemm.of(type).with(activation).kernel().with(Schedule.parse(schedule));
        assertArrayEquals(wanted, new KernelRun(kernel, Target.SM_90A).set("a", a, m, k).set("gate", gate, n, k)
                .set("up", up, n, k).out("c", m, n).run().numbers("c"));
    }

    private static double[] product(ValueType type, Activation activation, double[] a, double[] b, int m, int n,
            int k) {
        return new KernelRun(Gemm.of(type).withTransposedB().withResult(ValueType.F32).with(activation).kernel())
                .set("a", a, m, k).set("b", b, n, k).out("c", m, n).runOnCpu().numbers("c");
    }

    /** Both right factors come by the copy engine, and the check finds no mistake. */
    @ParameterizedTest
    @OrdinaryShare(3)
    @ValueSource(strings = {"none", "tile=128x128", "tile=128x64 cluster=2x1"})
    void theCopyEngineBringsThreeFactors(String schedule) {
        Launch launch = GatedGemm.of(ValueType.BF16).kernel().with(Schedule.parse(schedule)).launch(Map.of("a",
                ArrayShape.dense(List.of(150L, 136L)), "gate", ArrayShape.dense(List.of(72L, 136L)), "up",
                ArrayShape.dense(List.of(72L, 136L)), "c", ArrayShape.dense(List.of(150L, 72L))), Scalars.NONE,
                Target.SM_90A, 2);
        assertTrue(launch.arguments().stream().filter(Argument.Tensor.class::isInstance).count() == 4,
                launch.program()::toString);
        HazardReport report = HazardCheck.check(launch, List.of(memory(150 * 136), memory(72 * 136), memory(72 * 136),
                memory(150 * 72)));
        assertTrue(report.findings().isEmpty(), report::toString);
    }

    private static MemorySegment memory(int elements) {
        return Arena.ofAuto().allocate(2L * elements, 256);
    }
}
