package dev.tilewright.bench.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Progress;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.MadeSuite;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Rows of suites whose sides take turns, while these go on and at their end. */
class ContenderRowsTest {

    private static List<String> notes(Bench bench) {
        return bench.report().rows().stream().map(row -> row.side() + ": " + row.note()).toList();
    }

    @Test
    void turnsThatGoOnAreRowsOfAReportAndNotOfTheBench() {
        List<Row> added = new ArrayList<>();
        try (Bench bench = new Bench(Settings.DEFAULT, "bench", Progress.NONE, added::add);
                RivalProcess nobody = RivalProcess.none("no nvcc here")) {
            bench.run(List.of(new MadeSuite("launch", b -> {
                ContenderRows sides = new ContenderRows(b, "launch", nobody);
                Consumer<ContenderRows> report = some -> some.both("empty",
                        Unit.MICROSECONDS, new Turns(Spread.of(3, 4), null),
                        Verdict.NO_OUTPUT, 1.05);
                sides.soFar(2, 3, report);
                assertEquals(List.of(), added);
                assertEquals(List.of("C++: partial: interrupted after 2 of 3 turns; no nvcc here",
                        "tilewright: partial: interrupted after 2 of 3 turns"), notes(b));
                report.accept(sides);
                assertEquals(List.of("C++: no nvcc here", "tilewright: "), notes(b));
            })));
            assertEquals(added, bench.report().rows());
        }
    }
}
