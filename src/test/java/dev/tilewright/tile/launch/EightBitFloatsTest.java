package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.E4M3;
import static dev.tilewright.program.value.ValueType.E5M2;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Products of 8-bit floats have wgmma's bits on Hopper: by any schedule, however the arrays lie. */
class EightBitFloatsTest {
    private static final int M = 70;
    private static final int N = 48;

    private static TileKernel product(ValueType sums, boolean turned) {
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", E4M3, m, depth);
            Tensor b = turned ? k.in("b", E5M2, n, depth) : k.in("b", E5M2, depth, n);
            Tensor c = k.out("c", sums, m, n);
            k.forEachTile(c, 64, 32, at -> c.store(at, k.fold(k.zeros(sums, 64, 32), k.steps(depth, 64), (sum, i) ->
                    sum.mma(a.tile(at.row(), i), turned ? b.tile(at.column(), i).transposed()
                            : b.tile(i, at.column())))));
        });
    }

    private static Object run(ArrayLaunch<?> launch, ValueType sums, boolean turned, int k) {
        byte[] a = bytes(M * k, 1);
        byte[] b = bytes(N * k, 2);
        Object c = sums == F16 ? new short[M * N] : new float[M * N];
        launch.set("a", a, M, k);
        launch.set("b", b, turned ? N : k, turned ? k : N);
        if (c instanceof short[] halves) {
            launch.set("c", halves, M, N).run();
        } else {
            launch.set("c", (float[]) c, M, N).run();
        }
        return c;
    }

    /** Numbers of any kind but infinities and NaNs. */
    private static byte[] bytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        for (int i = 0; i < count; i++) {
            bytes[i] &= (byte) 0xBF;
        }
        return bytes;
    }

    @Test
    void everyScheduleAndShapeHasThem() {
        try (Gpu gpu = Gpu.emulated()) {
            for (ValueType sums : List.of(F32, F16)) {
                for (boolean turned : new boolean[] {true, false}) {
                    for (int k : new int[] {160, 141}) {
                        TileKernel kernel = product(sums, turned);
                        Object wanted = run(kernel.onCpu(), sums, turned, k);
                        for (String schedule : List.of("", "threads=128", "threads=512")) {
                            try (ArrayKernel on = gpu.load(schedule.isEmpty() ? kernel
                                    : kernel.with(Schedule.parse(schedule)))) {
                                assertArrayEquals(new Object[] {wanted},
                                        new Object[] {run(on.launch(), sums, turned, k)}, schedule + " k " + k);
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void thoseOfMmaSyncAreOthers() {
        TileKernel kernel = product(F32, true);
        float[] wgmma = (float[]) run(kernel.onCpu(), F32, true, 160);
        float[] others = (float[]) run(kernel.onCpu().arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC), F32, true, 160);
        assertNotEquals(Arrays.toString(wgmma), Arrays.toString(others));
    }
}
