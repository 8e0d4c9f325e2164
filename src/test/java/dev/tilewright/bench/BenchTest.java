package dev.tilewright.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs of suites, without a GPU. */
class BenchTest {

    private static Row row(String subject, double... samples) {
        return Row.of("made", subject, Row.OURS, Unit.MICROSECONDS, Spread.of(samples), Verdict.NO_OUTPUT);
    }

    @Test
    void whatOneSuiteLacksIsARowAndTheOthersRun() {
        List<Row> seen = new ArrayList<>();
        try (Bench bench = new Bench(Settings.DEFAULT, "bench", Progress.NONE, seen::add)) {
            assertFalse(bench.report().complete());
            bench.run(List.of(new MadeSuite("first", _ -> {
                throw new MissingRequirementException("no such thing here");
            }), new MadeSuite("second", b -> b.add(row("work", 3, 1, 2)))));
            Report report = bench.report();
            assertTrue(report.complete());
            assertEquals(seen, report.rows());
            assertEquals(Verdict.NOT_RUN, seen.getFirst().verdict());
            assertEquals("no such thing here", seen.getFirst().note());
            assertEquals(2, seen.getLast().figure().median());
        }
    }

    @Test
    void whatTurnsHaveGivenIsInAReportUntilTheirRowsAre() {
        try (Bench bench = new Bench(Settings.DEFAULT, "bench", Progress.NONE, _ -> { })) {
            bench.run(List.of(new MadeSuite("made", b -> {
                b.add(row("before", 1));
                b.soFar(1, 3, List.of(row("a", 1), row("b", 1).noting("loud")));
                b.soFar(2, 3, List.of(row("a", 1, 2), row("b", 1, 2).noting("loud"), row("before", 1)));
                List<Row> interrupted = b.report().rows();
                assertEquals(List.of("before", "a", "b", "before"), interrupted.stream().map(Row::subject).toList());
                assertEquals("partial: interrupted after 2 of 3 turns", interrupted.get(1).note());
                assertEquals("partial: interrupted after 2 of 3 turns; loud", interrupted.get(2).note());
                assertEquals(2, interrupted.get(1).figure().samples());
                b.soFar(3, 3, List.of(row("a", 1, 2, 3), row("b", 1, 2, 3)));
                assertEquals("", b.report().rows().getLast().note(), "none is missing");
                b.add(row("a", 1, 2, 3));
                assertEquals(List.of("before", "a", "b"), b.report().rows().stream().map(Row::subject).toList());
                b.add(row("b", 1, 2, 3));
                assertEquals(3, b.report().rows().size());
                b.soFar(1, 2, List.of(row("never added", 1)));
            })));
            assertEquals(List.of("before", "a", "b"), bench.report().rows().stream().map(Row::subject).toList());
        }
    }

    @Test
    void ratiosKnowWhichWayIsBetter() {
        Row faster = row("a", 2).beside("C++", 4, 1.05);
        assertEquals(0.5, faster.ratios().getFirst().value());
        assertTrue(faster.isReached());
        assertFalse(row("a", 5).beside("C++", 4, 1.05).isReached());
        Row rate = Row.of("made", "b", Row.OURS, Unit.GIGABYTES_PER_SECOND, Spread.of(3), Verdict.VERIFIED);
        assertFalse(rate.beside("cuMemcpy", 4, 0.8).isReached());
        assertTrue(rate.beside("cuMemcpy", 4, 0.75).isReached());
        assertTrue(rate.beside("unknown", 0, 0.75).ratios().isEmpty());
    }
}
