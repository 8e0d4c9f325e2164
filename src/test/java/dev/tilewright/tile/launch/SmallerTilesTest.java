package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where no block holds a kernel's tiles it computes smaller ones, which leave the same bytes. */
class SmallerTilesTest {
    private static final TileKernel GEMM = TileKernel.of("gemm", k -> {
        Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
        Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n), c = k.out("c", BF16, m, n);
        k.forEachTile(c, 256, 256, at -> c.store(at, k.fold(k.zeros(F32, 256, 256), k.steps(depth, 64),
                (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(BF16)));
    });

    private static short[] numbers(int count, Random random) {
        short[] bits = new short[count];
        for (int i = 0; i < count; i++) {
            bits[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return bits;
    }

    /** Rows of no multiple of 16 bytes are not for the copy engine, and threads alike hold no 256 x 256 sums. */
    @Test
    void productsOfAnyShapeLeaveTheExecutorsBytes() {
        Random random = new Random(1);
        try (Gpu gpu = Gpu.emulated(); ArrayKernel gemm = gpu.load(GEMM)) {
            for (int[] shape : new int[][] {{1, 2, 1}, {7, 9, 5}, {130, 65, 300}}) {
                int m = shape[0], k = shape[1], n = shape[2];
                short[] a = numbers(m * k, random), b = numbers(k * n, random), c = new short[m * n];
                short[] onCpu = new short[m * n];
                gemm.launch().set("a", a, m, k).set("b", b, k, n).set("c", c, m, n).run();
                GEMM.onCpu().set("a", a, m, k).set("b", b, k, n).set("c", onCpu, m, n).run();
                assertArrayEquals(onCpu, c);
            }
        }
    }

    @Test
    void explainSaysSo() {
        String explained = GEMM.explain(Target.SM_90A, Map.of("m", 7L, "n", 5L, "k", 9L));
        assertTrue(explained.contains("of tiles of 256 x 256, "), explained);
    }

    /** A kernel without a grid is one tile, which nothing makes smaller; the CPU computes it as it is. */
    @Test
    void oneTileThatNoBlockHoldsIsRefused() {
        TileKernel whole = TileKernel.of("whole", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.in("x", F32, m, n), y = k.out("y", F32, m, n);
            k.forEachTile(List.of(), _ -> y.store(x.tile().plus(1)));
        });
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> whole.explain(Target.SM_90A, Map.of("m", 1000L, "n", 1000L)));
        assertTrue(e.getMessage().matches("kernel 'whole': a tile of \\[1000, 1000\\] elements of f32 takes 1024 "
                + "registers of .*: use smaller tiles, or go along them in a loop "
                + "\\(at SmallerTilesTest.java:\\d+\\)"), e.getMessage());
        float[] x = new float[1000 * 1000], y = new float[x.length];
        whole.onCpu().set("x", x, 1000, 1000).set("y", y, 1000, 1000).run();
        assertEquals(1, y[x.length - 1]);
    }

    /** A block of sm_86 has 99 KiB of shared memory, and exchanges 128 KiB of a tile of 128 x 256 floats. */
    @Test
    void tilesWhoseExchangesABlockHasNoRoomForAreSmaller() {
        TileKernel mirror = TileKernel.of("mirror", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.in("x", F32, n, m), y = k.out("y", F32, m, n);
            k.forEachTile(y, 128, 256, at -> y.store(at, x.tile(at.column(), at.row()).transposed()));
        });
        Map<String, Long> extents = Map.of("m", 1000L, "n", 1000L);
        assertEquals(128 * 256 * 4, mirror.lowered(Target.SM_80, extents).program().shared().bytes());
        assertEquals(128 * 128 * 4, mirror.lowered(Target.SM_86, extents).program().shared().bytes());
    }

    /** 4,096 elements along k at once: a block has no room for those of 16 rows and 16 columns. */
    @Test
    void tilesAreMadeAsSmallAsTheyHaveToBe() {
        TileKernel deep = TileKernel.of("deep", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n), c = k.out("c", BF16, m, n);
            k.forEachTile(c, 128, 256, at -> c.store(at, k.fold(k.zeros(F32, 128, 256), k.steps(depth, 4096),
                    (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(BF16)));
        });
        String explained = deep.explain(Target.SM_90A, Map.of("m", 300L, "n", 300L, "k", 5000L));
        assertTrue(explained.contains("tiles of 8 x 16 (of tiles of 16 x 16, "), explained);
    }

    /** All of each row is taken together: tiles have fewer rows, and never fewer columns, which are more. */
    @Test
    void tilesAreNotSmallerWhereElementsDependOnThem() {
        TileKernel rows = TileKernel.of("rows", k -> {
            Dim m = k.dim("m"), n = Dim.of(2048);
            Tensor x = k.in("x", F32, m, n), y = k.out("y", F32, m, n);
            k.forEachTile(y, 256, 2048, at -> y.store(at, x.tile(at).minus(x.tile(at).max(1)).exp()));
        });
        String explained = rows.explain(Target.SM_90A, Map.of("m", 300L));
        assertTrue(explained.matches("(?s).*tiles of \\d+ x 2048 \\(of tiles of \\d+ x 2048, .*"), explained);
    }

    /** A schedule is kept to, or refused. */
    @Test
    void schedulesAreNotChanged() {
        TileKernel large = GEMM.with(Schedule.parse("tile=256x256"));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> large.explain(Target.SM_90A, Map.of("m", 7L, "n", 5L, "k", 9L)));
        assertTrue(e.getMessage().contains("; the schedule has tile=256x256: choose a smaller one, or leave it out (at "
                + "SmallerTilesTest.java:"), e.getMessage());
    }
}
