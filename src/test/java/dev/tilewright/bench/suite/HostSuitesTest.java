package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Thorough;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.kernel.GridBarrier;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The suites that need no GPU: their rows, and that what is measured is right. */
class HostSuitesTest {

    private static List<Row> rows(Suite suite) {
        List<Row> rows = new ArrayList<>();
        Settings one = new Settings(List.of(), 1, 1, 0, 0, false);
        try (Bench bench = new Bench(one, "bench", Progress.NONE, rows::add)) {
            bench.run(List.of(suite));
        }
        return rows;
    }

    @Test
    void presetsAndAGridBarrierAreChecked() {
        List<Row> rows = rows(new CheckSuite(List.of(Presets.named("bulk-copy"), Presets.named("tensor-copy")),
                new GridBarrier(Thorough.of(64, 1024), 128)));
        assertEquals(List.of("bulk-copy", "tensor-copy", "grid-barrier"), rows.stream().map(Row::subject).toList());
        for (Row row : rows) {
            assertEquals(Verdict.VERIFIED, row.verdict(), row::toString);
            assertTrue(row.ratios().getFirst().value() > 0, row::toString);
        }
        assertEquals(Unit.MILLISECONDS, rows.getLast().unit());
        assertEquals(2L * 4 * 1024 * 1024, rows.getFirst().bytes());
    }

    @Test
    void mapsAreEncodedAndRight() {
        List<Row> rows = rows(new EncodeSuite());
        List<Row> ours = rows.stream().filter(row -> row.side().equals(Row.OURS)).toList();
        assertEquals(List.of("matrix", "five dimensions", "im2col"), ours.stream().map(Row::subject).toList());
        ours.forEach(row -> assertEquals(Verdict.VERIFIED, row.verdict(), row::toString));
        boolean driver = hasGpu();
        assertEquals(driver ? 3 : 1, rows.size() - ours.size());
        rows.stream().filter(row -> !row.side().equals(Row.OURS)).forEach(row ->
                assertEquals(driver ? Verdict.VERIFIED : Verdict.NOT_RUN, row.verdict(), row::toString));
    }

    private static boolean hasGpu() {
        try {
            return Devices.probe().list().stream().anyMatch(device -> device.target().runsOn(9, 0));
        } catch (MissingRequirementException e) {
            return false;
        }
    }

    @Test
    void presetsAreEmitted() {
        Row row = rows(EmitSuite.of(List.of(Presets.named("bulk-copy")))).getFirst();
        assertEquals(1, row.figure().samples());
        assertEquals(Unit.MICROSECONDS, row.unit());
        assertTrue(Integer.parseInt(row.means().get("source")) > 1000, row::toString);
    }

    @Test
    void tileKernelsAreTracedLoweredAndEmitted() {
        Row row = rows(EmitSuite.ofTiles(List.of(TilePresets.find("tile-copy-1d").orElseThrow()))).getFirst();
        assertEquals("lower tile-copy-1d", row.suite() + " " + row.subject());
        assertTrue(Integer.parseInt(row.means().get("source")) > 1000, row::toString);
    }
}
