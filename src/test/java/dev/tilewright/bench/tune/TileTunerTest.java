package dev.tilewright.bench.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.bench.device.MachineFacts;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.ElementKernels;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import dev.tilewright.tuning.TunedTiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tile kernels are tuned, on the emulated GPU: what is measured there says nothing, what is done is the same. */
class TileTunerTest {
    private static final Map<String, Long> ROWS = Map.of("rows", 5L, "columns", 40L);

    @Test
    void eachKernelGetsALineOfWhatWasMeasured() {
        TileKernel softmax = RowKernels.softmax(ValueType.F32);
        TileKernel inPlace = TileKernel.of("twice", k -> {
            Dim n = k.dim("n");
            Tensor x = k.inOut("x", ValueType.I32, n);
            k.forEachTile(x, 64, at -> x.store(at, x.tile(at).times(2)));
        });
        List<TileTuner.Result> results = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        try (Gpu gpu = Gpu.emulated()) {
            new TileTuner(gpu, MachineFacts.of(gpu), 1, Progress.NONE, () -> true).run(List.of(
                    new TileTuner.Job("softmax f32", softmax, ROWS),
                    new TileTuner.Job("too large", softmax, Map.of("rows", 1L << 40, "columns", 1L << 10)),
                    new TileTuner.Job("twice", inPlace, Map.of("n", 200L))), 1, results::add,
                    (job, why) -> refused.add(job.title() + ": " + why.getMessage()));
            assertEquals(List.of("softmax f32"), results.stream().map(r -> r.line().kernel()).toList(),
                    "a run that is stopped ends with the first");
            new TileTuner(gpu, MachineFacts.of(gpu), 1, Progress.NONE, () -> false).run(List.of(
                    new TileTuner.Job("too large", softmax, Map.of("rows", 1L << 40, "columns", 1L << 10)),
                    new TileTuner.Job("twice", inPlace, Map.of("n", 200L))), 1, results::add,
                    (job, why) -> refused.add(job.title() + ": " + why.getMessage()));
            TunedTiles line = results.getFirst().line();
            assertEquals(softmax.signature(gpu.target()).bits(), line.bits());
            assertEquals(ROWS, line.extents());
            assertEquals(gpu.name(), line.gpu());
            assertEquals(2 * 5 * 40 * 4, results.getFirst().bytes());
            assertFalse(results.getFirst().complete());
        }
        assertEquals(List.of("softmax f32", "twice"), results.stream().map(r -> r.line().kernel()).toList());
        results.forEach(result -> assertEquals(List.of(), result.faults()));
        assertEquals(2, refused.size(), refused::toString);
        assertTrue(refused.getFirst().startsWith("too large: the tensors of {"), refused::toString);
    }

    /** Launches leave what the executor does, and a word that differs is counted, in any set. */
    @Test
    void resultsAreHeldAgainstTheExecutorAndEachOther() {
        TileKernel scale = ElementKernels.scale(ValueType.I32, 2);
        Map<String, Long> extents = Map.of("d0", 6L, "d1", 31L);
        try (Gpu gpu = Gpu.emulated(); TileArrays arrays = new TileArrays(gpu, scale, extents, 3);
                ArrayKernel kernel = gpu.load(scale)) {
            assertTrue(arrays.sets() > 1, "small tensors have several sets");
            run(arrays, kernel);
            assertEquals(Optional.empty(), arrays.expectResults());
            assertEquals(0, arrays.differing());
            arrays.spoil();
            assertEquals(arrays.sets() * Math.ceilDiv(6 * 31 * 4, 16) * 4L - arrays.sets() * 2L, arrays.differing());
            run(arrays, kernel);
            assertEquals(0, arrays.differing());
        }
    }

    private static void run(TileArrays arrays, ArrayKernel kernel) {
        arrays.spoil();
        for (int set = 0; set < arrays.sets(); set++) {
            arrays.launch(kernel, set).prepare().start();
        }
    }

    @Test
    void candidatesSuitTheKernel() {
        List<Schedule> ofRows = TileSearchSpace.of(RowKernels.softmax(ValueType.F32), ROWS, 1);
        assertEquals(Schedule.DEFAULT, ofRows.getFirst());
        assertTrue(ofRows.contains(Schedule.parse("threads=1024")));
        assertTrue(ofRows.stream().noneMatch(s -> s.has("tile")), "a row is a tile");
        assertTrue(TileSearchSpace.of(ElementKernels.transpose(ValueType.F32), Map.of(), 1)
                .contains(Schedule.parse("tile=128x64 threads=256")));
        TileKernel gemm = Gemm.of(ValueType.BF16).kernel();
        List<Schedule> large = TileSearchSpace.of(gemm, Map.of("m", 8192L, "n", 8192L, "k", 8192L), 1);
        assertTrue(large.contains(Schedule.parse("tile=128x256")));
        List<Schedule> oneRow = TileSearchSpace.of(gemm, Map.of("m", 1L, "n", 8192L, "k", 8192L), 1);
        assertTrue(oneRow.contains(Schedule.parse("tile=16x128")) && oneRow.contains(Schedule.parse("tile=64x128")));
        assertFalse(oneRow.contains(Schedule.parse("tile=128x128")));
        assertTrue(TileSearchSpace.variants(gemm, Schedule.parse("tile=128x256"))
                .contains(Schedule.parse("band=8 tile=128x256")));
        assertEquals(List.of(), TileSearchSpace.variants(gemm, Schedule.parse("threads=256")));
        assertTrue(ofRows.contains(Schedule.parse("resident=4 threads=128")));
        assertEquals(List.of(Schedule.parse("early=1 resident=4 threads=128")), TileSearchSpace.variants(
                RowKernels.softmax(ValueType.F32), Schedule.parse("resident=4 threads=128")));
    }
}
