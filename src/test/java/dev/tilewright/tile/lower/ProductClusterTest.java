package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of a cluster that take neighbouring tiles of a product: when they do, and that bytes stay. */
class ProductClusterTest {
    /** Three tiles below each other and beside each other: a cluster at the edge has one too many. */
    private static final int SIDE = 136;
    private static final int DEPTH = 72;

    private static TileKernel product(int rows, int columns) {
        return product(rows, columns, 0, 0);
    }

    /** @param down how far below its own place a tile is stored @param right and beside it */
    private static TileKernel product(int rows, int columns, int down, int right) {
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m");
            Dim n = k.dim("n");
            Dim depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth);
            Tensor b = k.in("b", ValueType.BF16, n, depth);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, rows, columns, at -> c.store(k.fold(k.zeros(ValueType.F32, rows, columns),
                    k.steps(depth, 64), (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(at.column(), i).transposed()))
                    .to(ValueType.BF16), at.row().plus(down), at.column().plus(right)));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster=2x1", "cluster=1x2", "cluster=2x1, 2 blocks", "cluster=1x2 ahead=0, 4 blocks",
            "cluster=2x1 early=1"})
    void bytesStay(String schedule) {
        TileKernel kernel = product(64, 64).with(Schedule.parse(schedule));
        short[] wanted = times(kernel.onCpu());
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            assertArrayEquals(wanted, times(loaded.launch()));
        }
    }

    /** A cluster at the edge has a tile beyond the last; what it stores must not lie within the tensor. */
    @ParameterizedTest
    @CsvSource({"cluster=2x1, -8, 0", "cluster=1x2, 0, -8"})
    void tilesBeyondTheLastStoreNothing(String schedule, int down, int right) {
        TileKernel shifted = product(64, 64, down, right);
        String message = assertThrows(IllegalArgumentException.class, () -> shifted.with(Schedule.parse(schedule))
                .lowered(Target.SM_90A, Map.of("m", 136L, "n", 136L, "k", 72L))).getMessage();
        assertEquals("kernel 'product' has no cluster to choose, got " + schedule + ": a cluster of "
                + schedule.substring(schedule.indexOf('=') + 1) + " tiles takes one beyond the last where their number "
                + "is odd, and what that stores may lie within 'c'; leave it out", message);
        String across = down == 0 ? "cluster=2x1" : "cluster=1x2";
        TileKernel kernel = shifted.with(Schedule.parse(across));
        short[] wanted = times(kernel.onCpu());
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            assertArrayEquals(wanted, times(loaded.launch()));
        }
    }

    private static short[] times(ArrayLaunch<?> launch) {
        short[] c = new short[SIDE * SIDE];
        launch.set("a", numbers(1), SIDE, DEPTH).set("b", numbers(2), SIDE, DEPTH).set("c", c, SIDE, SIDE).run();
        return c;
    }

    private static short[] numbers(long seed) {
        Random random = new Random(seed);
        short[] numbers = new short[SIDE * DEPTH];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return numbers;
    }

    @Test
    void rowsThatLieAcrossLinesAreSharedByClusters() {
        assertEquals(2, blocks(8191, 8185, 8184));
        assertEquals(1, blocks(8192, 8192, 8192));
        assertEquals(1, blocks(1, 8192, 8184));
        assertEquals(1, blocks(128, 256, 8));
    }

    @Test
    void itIsSaidWhy() {
        LoweredKernel lowered = product(128, 256).lowered(Target.SM_90A, Map.of("m", 8191L, "n", 8185L, "k", 8184L));
        assertTrue(lowered.lines().stream().anyMatch(line -> line.contains("; by clusters of 2x1, as factors' rows "
                + "begin within lines of L2, which is asked twice for each")), lowered::toString);
    }

    private static int blocks(long m, long n, long k) {
        LoweredKernel lowered = product(128, 256).lowered(Target.SM_90A, Map.of("m", m, "n", n, "k", k));
        return lowered.program().clusterBlocks();
    }

    @Test
    void whatHasNoClusterIsRefused() {
        assertEquals("kernel 'product' has no cluster to choose, got cluster=2x1: copies that bring 8 rows of a tile "
                + "are for blocks without a cluster; leave it out", assertThrows(IllegalArgumentException.class,
                        () -> product(64, 64).with(Schedule.parse("cluster=2x1 rows=8")).lowered(Target.SM_90A,
                                Map.of("m", 8L, "n", 64L, "k", 64L))).getMessage());
    }
}
