package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.report.ReportComparison.Change;
import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

/** Two reports beside each other. */
class ComparisonTest {

    private static Row row(String subject, Unit unit, double figure) {
        return Row.of("copy", subject, Row.OURS, unit, Spread.of(figure), Verdict.VERIFIED);
    }

    private static Row theirs(String subject, double figure) {
        return Row.of("copy", subject, "C++", Unit.GIGABYTES_PER_SECOND, Spread.of(figure), Verdict.VERIFIED);
    }

    private static ReportComparison compare(List<Row> older, List<Row> newer) {
        return ReportComparison.of(SampleReport.report(true, older), SampleReport.report(true, newer), 0.05);
    }

    private static Change change(Unit unit, double before, double now) {
        return compare(List.of(row("a", unit, before)), List.of(row("a", unit, now))).lines().getFirst().change();
    }

    private static List<Change> changes(ReportComparison comparison) {
        return comparison.lines().stream().map(ReportComparison.Line::change).toList();
    }

    @Provide
    Arbitrary<Report> reports() {
        return RandomReports.reports();
    }

    @Property(tries = 200)
    void aReportIsAsGoodAsItself(@ForAll("reports") Report report) {
        ReportComparison same = ReportComparison.of(report, report, 0);
        assertEquals(report.rows().stream().allMatch(row -> row.figure() == null)
                || report.rows().stream().anyMatch(row -> RowNames.isOurs(row) && !row.isCorrect()), same.isBad());
        assertTrue(same.lines().stream().allMatch(line -> line.change()
                == (line.row().isCorrect() ? Change.SAME : Change.WRONG)), () -> changes(same).toString());
        assertEquals(report.rows().size(), same.lines().size());
    }

    @Property(tries = 200)
    void everyMeasuredRowOfBothIsSomewhere(@ForAll("reports") Report older, @ForAll("reports") Report newer) {
        ReportComparison comparison = ReportComparison.of(older, newer, 0.05);
        List<String> suites = newer.rows().stream().map(Row::suite).toList();
        assertEquals(older.rows().stream().filter(r -> r.figure() != null && suites.contains(r.suite())).count(),
                comparison.lines().stream().filter(l -> l.older() != null && l.older().figure() != null).count());
        assertEquals(newer.rows().stream().filter(r -> r.figure() != null).count(),
                comparison.lines().stream().filter(l -> l.newer() != null && l.newer().figure() != null).count());
    }

    @Property
    void timesAndRatesAreHeldToTheSameTolerance(@ForAll @DoubleRange(min = 0.1, max = 10) double factor) {
        assertEquals(change(Unit.GIGABYTES_PER_SECOND, 1, factor), change(Unit.MICROSECONDS, 1, 1 / factor));
    }

    @Test
    void theToleranceIsTheLimit() {
        assertEquals(Change.SAME, change(Unit.GIGABYTES_PER_SECOND, 1000, 950));
        assertEquals(Change.WORSE, change(Unit.GIGABYTES_PER_SECOND, 1000, 949));
        assertEquals(Change.SAME, change(Unit.GIGABYTES_PER_SECOND, 1000, 1050));
        assertEquals(Change.BETTER, change(Unit.GIGABYTES_PER_SECOND, 1000, 1060));
        assertEquals(Change.WORSE, change(Unit.MICROSECONDS, 1000, 1060));
        assertEquals(Change.BETTER, change(Unit.MICROSECONDS, 1000, 900));
        assertThrows(IllegalArgumentException.class, () -> new ReportComparison(List.of(), "", List.of(), 1));
    }

    @Test
    void whatWentWrongOrAwayIsFoundWhereItIsOurs() {
        Row right = row("a", Unit.GIGABYTES_PER_SECOND, 10);
        Row wrong = Row.of("copy", "a", Row.OURS, Unit.GIGABYTES_PER_SECOND, Spread.of(10), Verdict.WRONG);
        assertEquals(List.of(Change.WRONG), changes(compare(List.of(right), List.of(wrong))));
        assertTrue(compare(List.of(right), List.of(wrong)).isBad());
        // Nor does it pass because it was wrong before, or was not measured then.
        assertTrue(compare(List.of(wrong), List.of(wrong)).isBad());
        Row others = row("b", Unit.GIGABYTES_PER_SECOND, 10);
        ReportComparison added = compare(List.of(others), List.of(others, wrong));
        assertEquals(List.of(Change.SAME, Change.WRONG), changes(added));
        assertTrue(added.isBad());
        assertFalse(compare(List.of(wrong), List.of(right)).isBad());
        Row not = Row.notRun("copy", "a", Row.OURS, Unit.GIGABYTES_PER_SECOND, "no GPU");
        assertEquals(List.of(Change.GONE), changes(compare(List.of(right), List.of(not))));
        assertEquals(List.of(Change.NEW), changes(compare(List.of(not), List.of(right))));
        Row other = row("b", Unit.GIGABYTES_PER_SECOND, 10);
        ReportComparison gone = compare(List.of(right, other), List.of(other));
        assertEquals(List.of(Change.GONE, Change.SAME), changes(gone));
        assertTrue(gone.isBad());
        ReportComparison rival =
                compare(List.of(right, theirs("a", 10), theirs("b", 10)), List.of(right, theirs("a", 5)));
        assertEquals(List.of(Change.SAME, Change.WORSE, Change.GONE), changes(rival));
        assertFalse(rival.isBad());
    }

    @Test
    void anInterruptedRunHasNotLostWhatItDidNotReachAndIsNoPass() {
        List<Row> all = List.of(row("a", Unit.GIGABYTES_PER_SECOND, 10), row("b", Unit.GIGABYTES_PER_SECOND, 10));
        ReportComparison comparison = ReportComparison.of(SampleReport.report(true, all),
                SampleReport.report(false, all.subList(0, 1)), 0.05);
        assertEquals(List.of(Change.SAME, Change.NOT_REACHED), changes(comparison));
        assertTrue(comparison.isBad());
        assertTrue(comparison.warnings().contains("the newer run was interrupted"));
    }

    @Test
    void whereNothingWasMeasuredAllIsGone() {
        ReportComparison comparison = compare(List.of(row("a", Unit.GIGABYTES_PER_SECOND, 10)), List.of());
        assertEquals(List.of(Change.GONE), changes(comparison));
        assertTrue(comparison.isBad());
    }

    private static Row of(String suite, String subject) {
        return Row.of(suite, subject, Row.OURS, Unit.MICROSECONDS, Spread.of(1), Verdict.VERIFIED);
    }

    private static ReportComparison compare(List<Row> older, String command, boolean complete, Row... newer) {
        Report made = SampleReport.report(complete, List.of(newer));
        return ReportComparison.of(SampleReport.report(true, older),
                new Report(made.format(), made.started(), command, made.seed(), complete, made.machine(), made.rows()),
                0.05);
    }

    @Test
    void whereNothingIsInCommonNothingIsProven() {
        List<Row> older = List.of(of("copy", "a"), of("emit", "b"));
        ReportComparison other = compare(older, "bench launch --seed 1", true, of("launch", "c"));
        assertTrue(other.isBad());
        assertEquals("nothing was compared: the older run measured copy, emit, and the newer one measured launch alone",
                other.nothing());
        assertEquals(List.of(Change.NEW), changes(other));
        List<String> text = new ArrayList<>();
        ComparisonText.write(other, text::add);
        assertTrue(text.contains(other.nothing()) && text.stream().noneMatch(line -> line.contains("none of ours")),
                text.toString());
        assertEquals("nothing was compared: the older run measured copy, emit, and the newer one has none of these "
                + "rows", compare(older, "bench copy", true, of("copy", "c")).nothing());
        assertEquals("nothing was compared: the older run measured nothing, and the newer one measured copy alone",
                compare(List.of(), "bench copy", true, of("copy", "a")).nothing());
        assertTrue(compare(older, "bench launch", true).isBad());
        assertTrue(compare(older, " ", true).isBad(), "a command that says nothing");
    }

    @Test
    void aRunOfOneSuiteIsComparedWithThatOfAFileOfAll() {
        List<Row> older = List.of(of("copy", "a"), of("emit", "b"));
        ReportComparison one = compare(older, "bench emit --turns 3", true, of("emit", "b"));
        assertFalse(one.isBad());
        assertEquals(List.of(Change.SAME), changes(one));
        assertTrue(one.warnings()
                .contains("not compared: copy, which the older run has and the newer one was not to measure"),
                one.warnings().toString());
    }

    @Test
    void aSuiteThatTheNewerRunWasToMeasureAndHasNothingOfIsGone() {
        List<Row> older = List.of(of("copy", "a"), of("emit", "b"));
        for (String command : List.of("bench all --seed 1", "bench emit copy --turns 2")) {
            ReportComparison lost = compare(older, command, true, of("emit", "b"));
            assertEquals(List.of(Change.GONE, Change.SAME), changes(lost), command);
            assertTrue(lost.isBad(), command);
            assertEquals(List.of(Change.NOT_REACHED, Change.SAME),
                    changes(compare(older, command, false, of("emit", "b"))));
        }
    }

    @Test
    void aChangedScheduleIsComparedWhereItIsTheOnlyOne() {
        Row before = row("a", Unit.GIGABYTES_PER_SECOND, 10).with("size", 1024)
                .by(Schedule.parse("stages=4"));
        Row now = row("a", Unit.GIGABYTES_PER_SECOND, 8).with("size", 1024)
                .by(Schedule.parse("stages=2"));
        ReportComparison comparison = compare(List.of(before), List.of(now));
        assertEquals(List.of(Change.WORSE), changes(comparison));
        assertTrue(comparison.lines().getFirst().isOtherSchedule());
        List<String> text = new ArrayList<>();
        ComparisonText.write(comparison, text::add);
        assertTrue(text.toString().contains("WORSE (before: size 1 KiB, schedule stages=4)"), text.toString());
        Row another = row("a", Unit.GIGABYTES_PER_SECOND, 9).with("size", 1024)
                .by(Schedule.parse("stages=3"));
        assertEquals(List.of(Change.GONE, Change.NEW, Change.NEW), changes(compare(List.of(before),
                List.of(now, another))));
    }

    @Test
    void equalRowsAreTakenInTheirOrder() {
        List<Row> before = List.of(theirs("a", 10), theirs("a", 20));
        List<Row> now = List.of(theirs("a", 11), theirs("a", 20), theirs("a", 30));
        assertEquals(List.of(Change.BETTER, Change.SAME, Change.NEW), changes(compare(before, now)));
    }

    @Test
    void anotherMachineIsWarnedOf() {
        Report report = SampleReport.complete();
        Machine m = report.machine();
        Machine other = new Machine("NVIDIA A100", "sm_80", 108, 1, 1, 1, m.driver(), m.cuda(), m.nvrtc(),
                Clocks.UNKNOWN,
                Clocks.UNKNOWN, m.processor(), m.cores(), m.system(), m.java(), m.version(), m.revision());
        List<String> warnings = ReportComparison.of(report, new Report(1, report.started(), "bench copy", report.seed(),
                true,
                other, report.of("copy")), 0.05).warnings();
        assertTrue(warnings.contains("another GPU: NVIDIA H200 before, NVIDIA A100 now"), warnings.toString());
        assertTrue(warnings.contains("the GPU of the older run was slowed down: software power cap"),
                warnings.toString());
        assertTrue(warnings.stream().anyMatch(w -> w.startsWith("not compared: sweep, compute, launch, ")),
                warnings.toString());
    }

    @Test
    void aLongNameHasALineOfItsOwnAndAnEmptyNoteNoColon() {
        String many = "with a name that is longer than the column that names have in the table of a comparison";
        Row wrong = Row.of("copy", many, Row.OURS, Unit.GIGABYTES_PER_SECOND, Spread.of(10), Verdict.WRONG);
        List<String> lines = new ArrayList<>();
        ComparisonText.write(compare(List.of(row(many, Unit.GIGABYTES_PER_SECOND, 10), row("b", Unit.MICROSECONDS, 2)),
                List.of(wrong, row("b", Unit.MICROSECONDS, 2))), lines::add);
        assertEquals("  " + many + ", tilewright", lines.get(3));
        assertTrue(lines.get(4).matches(" {60} +10 +10 GB/s +1.000 +WRONG"), lines.get(4));
        String brief = lines.stream().filter(line -> line.startsWith("  b, tilewright")).findFirst().orElseThrow();
        assertEquals(lines.get(4).indexOf("1.000"), brief.indexOf("1.000"));
    }

    @Test
    void theTableHasWhatIsBadFirstAndCounts() {
        List<String> lines = new ArrayList<>();
        ComparisonText.write(compare(List.of(row("a", Unit.GIGABYTES_PER_SECOND, 10), row("b", Unit.MICROSECONDS, 2)),
                List.of(row("a", Unit.GIGABYTES_PER_SECOND, 10.1), row("b", Unit.MICROSECONDS, 3))), lines::add);
        assertEquals("beyond the tolerance of 5 %", lines.get(1).split(" {2,}")[0]);
        assertTrue(lines.get(3).matches("  b, tilewright +2 +3 us +1.500 +WORSE"), lines.get(3));
        assertEquals("compared 2 same 1 better 0 worse 1 wrong 0 gone 0 not-reached 0 new 0 tolerance 5 %",
                lines.getLast());
        assertTrue(lines.stream().collect(Collectors.joining("\n")).contains("  a, tilewright"), lines.toString());
    }
}
