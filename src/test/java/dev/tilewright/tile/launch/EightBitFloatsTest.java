package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.E4M3;
import static dev.tilewright.program.value.ValueType.E5M2;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

    private static TileKernel wide(int columns) {
        return TileKernel.of("wide", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", E4M3, m, depth), b = k.in("b", E5M2, depth, n), c = k.out("c", F32, m, n);
            k.forEachTile(c, 64, columns, at -> c.store(at, k.fold(k.zeros(F32, 64, columns), k.steps(depth, 32),
                    (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column())))));
        });
    }

    /** Of wgmma's m64n16 a thread has 34 registers, and 2,048 threads at once have 32 each. */
    @Test
    void blocksAtOnceThatLeaveWgmmaTooFewRegistersAreRefused() {
        Map<String, Long> extents = Map.of("m", 64L, "n", 128L, "k", 64L);
        TileKernel kernel = wide(128);
        assertEquals("kernel 'wide' has no room with threads=1024 resident=2: choose resident=1, the most that do for "
                + "these extents. kernel 'wide': wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2 takes at least "
                + "34 registers of each thread, and 2 blocks at once of 1024 threads leave it 32: use fewer threads, or"
                + " fewer blocks at once, or fewer columns a product", assertThrows(IllegalArgumentException.class,
                () -> kernel.with(Schedule.parse("threads=1024 resident=2")).lowered(Target.SM_90A, extents))
                .getMessage().replaceFirst(" \\(at EightBitFloatsTest.java:\\d+\\)$", ""));
        assertEquals(1, kernel.with(Schedule.parse("threads=1024 resident=1")).lowered(Target.SM_90A, extents)
                .program().atOnce());
    }

    /** Four groups take 256 columns each of 64 x 1024 sums, by an instruction for which 512 threads have no room. */
    @Test
    void sumsForWhichWgmmaHasTooFewRegistersAreOfSmallerTiles() {
        String explained = wide(1024).explain(Target.SM_90A, Map.of("m", 64L, "n", 1001L, "k", 60L));
        assertTrue(explained.contains("tiles of 64 x 512"), explained);
    }

    /** Rows of 4,096 halves are taken together by 64 threads, where no product takes a group of 128. */
    @Test
    void rowsBesideThemHaveThreadsOfWholeGroups() {
        assertEquals(128, threadsBeside(MatrixArithmetic.HOPPER_WGMMA));
        assertEquals(64, threadsBeside(MatrixArithmetic.HOPPER_MMA_SYNC));
    }

    private static int threadsBeside(MatrixArithmetic arithmetic) {
        return TileKernel.of("beside", k -> {
            k.arithmetic(arithmetic);
            Dim m = k.dim("m");
            Tensor x = k.in("x", F16, m, Dim.of(4096)), y = k.out("y", F16, m, Dim.of(16));
            k.forEachTile(y, 1, 16, at -> {
                Tile factor = k.full(F32, 2, 16, 32).to(E4M3);
                y.store(at, k.zeros(F32, 16, 16).mma(factor, k.full(F32, 1, 32, 16).to(E4M3)).sum(0).reshaped(16)
                        .plus(x.tile(at.row()).to(F32).max()).to(F16));
            });
        }).lowered(Target.SM_90A, Map.of("m", 3L)).program().threads();
    }

    @Test
    void thoseOfMmaSyncAreOthers() {
        TileKernel kernel = product(F32, true);
        float[] wgmma = (float[]) run(kernel.onCpu(), F32, true, 160);
        float[] others = (float[]) run(kernel.onCpu().arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC), F32, true, 160);
        assertNotEquals(Arrays.toString(wgmma), Arrays.toString(others));
    }
}
