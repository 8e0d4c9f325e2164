package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.FakeRival;
import dev.tilewright.bench.rival.PythonRivals;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.bench.rival.RivalSides;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rivals alone, and beside copies of ours, with a script in their place. */
class RivalSuiteTest {
    private static final Settings SETTINGS = new Settings(List.of(1000L), 7, 3, 0, 0, true);

    @TempDir
    Path folder;

    private final List<Row> rows = new ArrayList<>();

    private Bench bench(Settings settings) {
        return new Bench(settings, "bench", (_, _, _) -> { }, rows::add);
    }

    private RivalSides sides(String cases) throws IOException {
        FakeRival.in(folder, cases);
        return new RivalSides(new RivalProcess(folder), PythonRivals.none("no Python here"));
    }

    private static Row ours(String subject, double rate, double memcpy) {
        return Row.of("copy", subject, Row.OURS, Unit.GIGABYTES_PER_SECOND, Spread.of(rate), Verdict.VERIFIED)
                .beside("cuMemcpy", memcpy, 0.1);
    }

    @Test
    void oursStandsBesideTheBestOfItsMechanism() throws IOException {
        String other = FakeRival.FIGURES.replace("bulk-8k", "bulk-16k").replace("[0.001,0.0005,0.002]", "[0.0004]");
        try (RivalSides sides = sides("list)\n" + FakeRival.LIST + " ;;\n*bulk-8k*)\n" + FakeRival.FIGURES
                + " ;;\n*bulk-16k*)\n"
                + other + " ;;"); Bench bench = bench(SETTINGS)) {
            CopyRivals beside = new CopyRivals(bench, "copy", sides);
            // Ours has 0.5 of a cuMemcpy of 5 GB/s; the best of theirs 5 GB/s where cuMemcpy has 4.
            Row row = beside.beside(ours("bulk-copy", 2.5, 5), 1000);
            assertEquals(List.of("bulk-8k", "bulk-16k"), rows.stream().map(r -> r.means().get("kernel")).toList());
            Ratio ratio = row.ratios().getLast();
            assertEquals("C++", ratio.of());
            assertEquals(0.4, ratio.value(), 1e-9);
            assertFalse(row.isReached());
            beside.beside(ours("bulk-copy", 5, 5), 1000);
            assertEquals(2, rows.size(), "rivals are measured once for a mechanism and a size");
            Row unknown = ours("something-else", 1, 2);
            assertEquals(unknown, beside.beside(unknown, 1000));
        }
    }

    @Test
    void withoutRivalsOursIsAlone() throws IOException {
        try (RivalSides sides = RivalSides.none("no nvcc"); Bench bench = bench(SETTINGS)) {
            Row row = ours("bulk-copy", 2.5, 5);
            assertEquals(row, new CopyRivals(bench, "copy", sides).beside(row, 1000));
            assertEquals("no nvcc", rows.getFirst().note());
            new CopyRivals(bench, "copy", sides).others(1 << 20);
            assertEquals("PyTorch", rows.getLast().side());
            assertEquals("1048576", rows.getLast().parameters().get("size"));
        }
        rows.clear();
        Settings alone = new Settings(List.of(1000L), 7, 3, 0, 0, false);
        try (RivalSides sides = RivalSides.none("not wanted"); Bench bench = bench(alone)) {
            Row row = ours("bulk-copy", 2.5, 5);
            assertEquals(row, new CopyRivals(bench, "copy", sides).beside(row, 1000));
            assertEquals(List.of(), rows);
        }
    }

    @Test
    void allOfThemAreAskedAndEachAbsenceIsARow() throws IOException {
        try (RivalSides sides = sides("""
                list) echo '{"kernel":"tutorial-1","mechanism":"tutorial-async","parameters":"tiles"}'; \
                echo '{"done":"list"}' ;;
                kernel*)
                """ + FakeRival.FIGURES + """
                 ;;"""); Bench bench = bench(SETTINGS)) {
            new RivalSuite(sides).run(bench);
        }
        assertEquals(1, rows.stream().filter(row -> row.subject().equals("tutorial") && row.figure() != null).count());
        Set<String> reasons = rows.stream().filter(row -> row.verdict() == Verdict.NOT_RUN).map(Row::note)
                .collect(Collectors.toSet());
        assertTrue(reasons.contains("no Python here"), reasons.toString());
        assertEquals(1, rows.stream().filter(row -> row.note().equals("no Python here")).count());
    }
}
