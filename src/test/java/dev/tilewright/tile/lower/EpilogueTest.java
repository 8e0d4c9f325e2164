package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.analysis.Epilogue;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Much is done to a product's sums before they are stored: the code of one box serves all, and bytes stay. */
class EpilogueTest {
    private static final int M = 136;
    private static final int N = 264;
    private static final int K = 72;

    /** What is done to a sum. */
    private enum Work {
        /** Of the column's bias, the row's factor and the element's residual. */
        OF_ALL,
        /** Where the element is decides. */
        OF_PLACES,
        /** A few operations. */
        LITTLE
    }

    private static TileKernel product(Work work, int rows, int columns) {
        TileKernel kernel = TileKernel.of("product", k -> {
            Dim m = k.dim("m");
            Dim n = k.dim("n");
            Dim depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth);
            Tensor b = k.in("b", ValueType.BF16, n, depth);
            Tensor bias = k.in("bias", ValueType.F32, n);
            Tensor factors = k.in("factors", ValueType.F32, m);
            Tensor residual = k.in("residual", ValueType.BF16, m, n);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, rows, columns, at -> {
                Tile sum = k.fold(k.zeros(ValueType.F32, rows, columns), k.steps(depth, 64), (s, i) -> s.mma(
                        a.tile(at.row(), i), b.tile(at.column(), i).transposed()));
                Tile rest = residual.tile(at).to(ValueType.F32);
                Tile done = switch (work) {
                    case OF_ALL -> sum.times(factors.tile(at.row()).asColumn()).plus(bias.tile(at.column()))
                            .gelu().plus(rest).gelu();
                    case OF_PLACES -> sum.gelu().plus(k.iota(at.column()).to(ValueType.F32)).gelu();
                    case LITTLE -> sum.plus(bias.tile(at.column())).max(rest);
                };
                c.store(at, done.to(ValueType.BF16));
            });
        });
        return kernel.with(Schedule.parse("stages=2 tile=" + rows + "x" + columns + ", 2 blocks"));
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"OF_ALL, 128, 256", "OF_ALL, 64, 128", "OF_PLACES, 128, 128", "OF_PLACES, 256, 64"})
    void theCodeOfOneBoxServesAll(Work work, int rows, int columns) {
        assertEquals(1, loops(work, rows, columns));
        assertBytesStay(work, rows, columns);
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource({"LITTLE, 128, 256", "OF_ALL, 64, 64", "OF_ALL, 256, 128"})
    void elseThereIsCodeForEachElement(Work work, int rows, int columns) {
        assertEquals(0, loops(work, rows, columns));
        assertBytesStay(work, rows, columns);
    }

    private static void assertBytesStay(Work work, int rows, int columns) {
        TileKernel kernel = product(work, rows, columns);
        short[] wanted = times(kernel.onCpu());
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            assertArrayEquals(wanted, times(loaded.launch()));
        }
    }

    /** Loops whose turns store one box each. */
    private static long loops(Work work, int rows, int columns) {
        String[] lines = CudaEmitter.emit(product(work, rows, columns).lowered(Target.SM_90A, Map.of("m", (long) M,
                "n", (long) N, "k", (long) K)).program()).text().lines().toArray(String[]::new);
        long loops = 0;
        for (int i = 1; i < lines.length; i++) {
            loops += lines[i].contains("for (int box = 0;") && !lines[i - 1].contains("unroll") ? 1 : 0;
        }
        return loops;
    }

    private static short[] times(ArrayLaunch<?> launch) {
        short[] c = new short[M * N];
        Random random = new Random(5);
        launch.set("a", halves(random, M * K), M, K).set("b", halves(random, N * K), N, K)
                .set("bias", floats(random, N), N).set("factors", floats(random, M), M)
                
                .set("residual", halves(random, M * N), M, N).set("c", c, M, N).run();
        return c;
    }

    private static float[] floats(Random random, int count) {
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = (float) random.nextGaussian();
        }
        return floats;
    }

    private static short[] halves(Random random, int count) {
        short[] halves = new short[count];
        for (int i = 0; i < count; i++) {
            halves[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return halves;
    }

    @Test
    void operationsOfFunctionsCount() {
        assertEquals(0, Epilogue.of(product(Work.LITTLE, 64, 64)).operations() / 10);
        assertEquals(true, Epilogue.of(product(Work.OF_ALL, 64, 64)).operations() > 100);
    }
}
