package dev.tilewright.tile.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Launches on a GPU go by the schedule that was measured there, where one suits; the bytes are the same by any. */
class MeasuredSchedulesTest {
    private static final String GPU = "Some GPU";
    private static final TileKernel SOFTMAX = RowKernels.softmax(ValueType.F32);
    private static final TileKernel GEMM = Gemm.of(ValueType.BF16).kernel();

    private static TunedTiles line(TileKernel kernel, String gpu, Map<String, Long> extents, String schedule) {
        return new TunedTiles(kernel.name(), kernel.signature(Target.SM_90A).bits(), extents, Schedule.parse(schedule),
                gpu, Target.SM_90A, "1", LocalDate.of(2026, 11, 24), 10, 11, 21, 7);
    }

    private static Launch softmax(TileKernel kernel, String gpu, long rows, long columns) {
        ArrayShape shape = ArrayShape.dense(List.of(rows, columns));
        return kernel.launch(Map.of("x", shape, "y", shape), Scalars.NONE, gpu, Target.SM_90A, 132);
    }

    private static int threads(Launch launch) {
        return launch.program().threads();
    }

    @Test
    void theLineOfTheGpuTheKernelAndTheExtentsIsTaken() {
        TileKernel kernel = SOFTMAX.with(Tuning.EMPTY.withTiles(List.of(
                line(SOFTMAX, GPU, Map.of("rows", 1000L, "columns", 64L), "threads=512"),
                line(SOFTMAX, GPU, Map.of("rows", 100L, "columns", 64L), "threads=256"),
                line(SOFTMAX, "Another GPU", Map.of("rows", 1000L, "columns", 64L), "threads=1024"),
                line(RowKernels.logSoftmax(ValueType.F32), GPU, Map.of("rows", 2000L, "columns", 64L),
                        "threads=64"))));
        assertEquals(512, threads(softmax(kernel, GPU, 1000, 64)));
        assertEquals(512, threads(softmax(kernel, GPU, 500_000, 64)), "more rows");
        assertEquals(256, threads(softmax(kernel, GPU, 150, 64)), "nearest");
        assertEquals(256, threads(softmax(kernel, GPU, 50, 64)));
        assertEquals(128, threads(softmax(kernel, GPU, 49, 64)), "fewer than half");
        assertEquals(128, threads(softmax(kernel, GPU, 1000, 60)), "another program");
        assertEquals(1024, threads(softmax(kernel, "Another GPU", 1000, 64)));
        assertEquals(128, threads(softmax(kernel, "A third GPU", 1000, 64)));
        assertEquals(128, threads(softmax(kernel.with(Schedule.DEFAULT), GPU, 1000, 64)), "what is said counts");
        assertEquals(3, kernel.measured(Target.SM_90A).size());
        assertEquals(List.of(), kernel.measured(Target.SM_90));
        assertTrue(kernel.explain(Target.SM_90A, Map.of("columns", 64L))
                .contains("\nmeasured  on Another GPU, 2026-11-24: "
                + "faster than the lowering's choice: columns=64 rows=1000 with threads=1024, 1.100 times\n"));
    }

    /** Columns of odd width go another way, where a product's choices are refused. */
    @Test
    void whatDoesNotSuitALaunchIsLeftAside() {
        TileKernel kernel = GEMM.with(Tuning.EMPTY.withTiles(List.of(
                line(GEMM, GPU, Map.of("m", 128L, "n", 128L, "k", 128L), "stages=3 tile=64x32"))));
        for (long n : new long[] {128, 129}) {
            Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(List.of(128L, 128L)), "b",
                    ArrayShape.dense(List.of(128L, n)), "c", ArrayShape.dense(List.of(128L, n)));
            Launch tuned = kernel.launch(shapes, Scalars.NONE, GPU, Target.SM_90A, 132);
            Launch own = GEMM.launch(shapes, Scalars.NONE, Target.SM_90A, 132);
            assertEquals(n == 129, tuned.program().equals(own.program()));
        }
    }

    /** {@code gpu.load(kernel)} asks by the GPU's name. */
    @Test
    void loadedKernelsFindIt() {
        float[] x = new float[6 * 40];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) Math.sin(i);
        }
        float[] wanted = new float[x.length];
        SOFTMAX.onCpu().set("x", x, 6, 40).set("y", wanted, 6, 40).run();
        try (Gpu gpu = Gpu.emulated()) {
            TileKernel kernel = SOFTMAX.with(Tuning.EMPTY.withTiles(List.of(
                    line(SOFTMAX, gpu.name(), Map.of("rows", 6L, "columns", 40L), "threads=64"))));
            try (ArrayKernel loaded = gpu.load(kernel)) {
                float[] y = new float[x.length];
                loaded.launch().set("x", x, 6, 40).set("y", y, 6, 40).run();
                assertArrayEquals(wanted, y);
                assertEquals(64, threads(softmax(kernel, gpu.name(), 6, 40)));
            }
        }
    }
}
