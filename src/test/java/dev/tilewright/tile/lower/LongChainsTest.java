package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Products of f32 whose steps along k are long: their chains of multiply-adds are loops. */
class LongChainsTest {
    private static final int SIDE = 4;

    private static TileKernel product(int step) {
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", ValueType.F32, m, depth), b = k.in("b", ValueType.F32, depth, n);
            Tensor c = k.out("c", ValueType.F32, m, n);
            k.forEachTile(c, SIDE, SIDE, at -> c.store(at, k.fold(k.zeros(ValueType.F32, SIDE, SIDE), k.steps(depth,
                    step), (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column())))));
        });
    }

    private static float[] random(int count, long seed) {
        Random random = new Random(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    /** Of 64 steps and more; the tensors end within a step. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @ValueSource(ints = {63, 64, 65, 100})
    void leaveTheExecutorsBytes(int step) {
        int depth = step + 30;
        TileKernel kernel = product(step);
        float[] a = random(SIDE * depth, 1), b = random(depth * SIDE, 2);
        float[] wanted = new float[SIDE * SIDE], got = new float[SIDE * SIDE];
        kernel.onCpu().set("a", a, SIDE, depth).set("b", b, depth, SIDE).set("c", wanted, SIDE, SIDE).run();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            loaded.launch().set("a", a, SIDE, depth).set("b", b, depth, SIDE).set("c", got, SIDE, SIDE).run();
        }
        assertArrayEquals(wanted, got);
        Launch launch = kernel.launch(Map.of("a", ArrayShape.dense(SIDE, depth), "b", ArrayShape.dense(depth, SIDE),
                "c", ArrayShape.dense(SIDE, SIDE)), Scalars.NONE, Target.SM_90A, 1);
        assertEquals(List.of(), HazardCheck.check(launch, List.of(MemorySegment.ofArray(a), MemorySegment.ofArray(b),
                MemorySegment.ofArray(got))).findings());
    }

    @Test
    void haveAsManyStepsHoweverLong() {
        Map<String, Long> extents = Map.of("m", 8L, "n", 8L, "k", 8192L);
        int steps = new StepNumbers(product(512).lowered(Target.SM_90A, extents).program()).all().size();
        for (int step : new int[] {2048, 8192}) {
            int more = new StepNumbers(product(step).lowered(Target.SM_90A, extents).program()).all().size();
            assertTrue(more < steps + steps / 2, () -> step + " along k take " + more + " steps, and 512 " + steps);
        }
    }
}
