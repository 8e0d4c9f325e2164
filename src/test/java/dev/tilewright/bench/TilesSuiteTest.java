package dev.tilewright.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.suite.TilesSuite;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The suite of tile kernels, on the emulated GPU: what it verifies and says, not how fast that is. */
class TilesSuiteTest {
    @Test
    void eachKernelIsVerifiedAndStandsBesideWhatItIsComparedWith() {
        List<TilePreset> presets = List.of(
                new TilePreset("softmax", "of rows", List.of(ValueType.F32, ValueType.BF16), Target.SM_80,
                        List.of(Map.of("rows", 3L, "columns", 40L), Map.of("rows", 2L, "columns", 8L)),
                        RowKernels::softmax),
                new TilePreset("gemm", "a product", List.of(ValueType.BF16), Target.SM_80,
                        List.of(Map.of("m", 16L, "n", 16L, "k", 32L)), type -> Gemm.of(type).kernel()),
                new TilePreset("large", "too large", List.of(ValueType.F32), Target.SM_80,
                        List.of(Map.of("rows", 1L << 40, "columns", 8L)), RowKernels::softmax));
        List<Row> rows = new ArrayList<>();
        Settings settings = new Settings(List.of(), 1, 1, 0.1, 0, false);
        try (Bench bench = new Bench(settings, "bench", Progress.NONE, rows::add, () -> { }, Gpu::emulated)) {
            bench.run(List.of(new TilesSuite(() -> presets)));
        }
        assertEquals(List.of("softmax f32", "softmax f32", "softmax bf16", "gemm bf16", "large f32"),
                rows.stream().map(Row::subject).toList());
        assertEquals(List.of(Verdict.VERIFIED, Verdict.VERIFIED, Verdict.VERIFIED, Verdict.VERIFIED, Verdict.NOT_RUN),
                rows.stream().map(Row::verdict).toList());
        assertEquals(List.of("columns=40 rows=3", "columns=8 rows=2", "columns=40 rows=3", "k=32 m=16 n=16"),
                rows.stream().limit(4).map(row -> row.parameters().get("extents")).toList());
        assertTrue(rows.getFirst().ratioTo(Row.MEMCPY).isPresent());
        assertEquals(Unit.TERAFLOPS, rows.get(3).unit());
        assertEquals(2 * 3 * 40 * 4, rows.getFirst().bytes());
    }
}
