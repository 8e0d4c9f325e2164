package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Rows on a terminal. */
class TextReportTest {
    private static List<String> lines(Report report) {
        List<String> lines = new ArrayList<>();
        TextReport text = new TextReport(lines::add);
        report.rows().forEach(text::row);
        text.summary(report);
        return lines;
    }

    /** Where the side of a row begins. */
    private static int column(String line, Row row) {
        return line.lastIndexOf(row.side(), 60 + row.side().length());
    }

    @Test
    void columnsAreWhereTheyAreWhateverARowIsCalled() {
        Report report = SampleReport.complete();
        for (Row row : report.rows()) {
            List<String> lines = new ArrayList<>();
            new TextReport(lines::add).row(row.with("more", "x".repeat(report.rows().indexOf(row) % 90)));
            assertEquals(60, column(lines.getLast(), row), lines::toString);
            assertTrue(lines.size() <= 4, lines::toString);
        }
    }

    @Provide
    Arbitrary<Report> reports() {
        return RandomReports.reports();
    }

    @Property(tries = 100)
    void noLineEndsInBlanks(@ForAll("reports") Report report) {
        lines(report).forEach(line -> assertFalse(line.endsWith(" "), "'" + line + "'"));
    }

    private static String clocks(Clocks before, Clocks after) {
        Machine m = SampleReport.complete().machine();
        Machine machine = new Machine(m.gpu(), m.target(), m.multiprocessors(), m.memoryBytes(),
                m.ratedGigabytesPerSecond(), m.cacheBytes(), m.driver(), m.cuda(), m.nvrtc(), before, after,
                m.processor(), m.cores(), m.system(), m.java(), m.version(), m.revision());
        return lines(new Report(Report.FORMAT, "", "bench", 1, true, machine, List.of())).get(1);
    }

    @Test
    void clocksSayWhenTheyWereRead() {
        Clocks fast = new Clocks(1980, 2619, "", 60, 300);
        Clocks slow = new Clocks(1755, 2619, "power cap", 60, 700);
        assertTrue(clocks(fast, fast).contains(", multiprocessors at 1980 MHz before and after, "), clocks(fast, fast));
        assertTrue(clocks(fast, slow).contains(", multiprocessors at 1980 MHz before, 1755 MHz (power cap) after, "),
                clocks(fast, slow));
        assertFalse(clocks(Clocks.UNKNOWN, Clocks.UNKNOWN).contains("MHz"));
    }

    @Test
    void theLastLinesSayWhichRivalsOursStandBeside() {
        Row theirs = Row.of("reduce", "sum", "C++", Unit.GIGABYTES_PER_SECOND, Spread.of(4), Verdict.VERIFIED);
        Row ours = Row.of("reduce", "sum", Row.OURS, Unit.GIGABYTES_PER_SECOND, Spread.of(3), Verdict.VERIFIED)
                .beside("cuMemcpy", 5, null).beside(theirs, null);
        assertTrue(lines(SampleReport.report(true, List.of(theirs.with("mechanism", "read-bulk"), ours))).stream()
                .anyMatch(line -> line.contains("over that of the fastest kernel in C++ of the same mechanism; each")));
        // What an older version has written was beside the fastest of all.
        assertTrue(lines(SampleReport.report(true, List.of(theirs, ours))).stream()
                .anyMatch(line -> line.contains("over that of the fastest kernel in C++; each")));
    }
}
