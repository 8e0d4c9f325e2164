package dev.tilewright.bench.report;

import dev.tilewright.NotNull;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Two reports of the same measurements, row by row: what became slower, what went wrong, and what is no longer
 * measured. Rows belong together that are of the same work by the same side, done in the same way, those of equal ones
 * in their order; and, of the rows that remain, those whose work no other row is of: there the schedule was changed.
 * Of a suite that the newer run was not to measure nothing is said but that it was not compared; what it was to measure
 * its command says.
 *
 * @param warnings why the numbers may differ for other reasons, such as another GPU, and what was not compared
 * @param nothing why nothing was compared, in one sentence; empty where a row was measured by both
 * @param lines in the order of the older report, then what only the newer has
 * @param tolerance by which part of it a figure may be worse, such as 0.05
 */
public record ReportComparison(List<String> warnings, String nothing, List<Line> lines, double tolerance) {

    /** What became of a row. A row of others may become worse, wrong or go without being a finding. */
    public enum Change {
        /** Neither better nor worse than the tolerance allows. */
        SAME,
        /** Better by more than the tolerance. */
        BETTER,
        /** Worse by more than the tolerance. */
        WORSE,
        /** Its output is wrong now, whatever it was. */
        WRONG,
        /** It was measured, and is not any more. */
        GONE,
        /** It was measured, and the newer run was interrupted before. */
        NOT_REACHED,
        /** It was not measured, and is now. */
        NEW
    }

    /**
     * A row in both.
     *
     * @param older null where only the newer report has it
     * @param newer null where only the older one has it
     * @param ratio newer median by older; NaN where one is missing
     */
    public record Line(Row older, Row newer, double ratio, Change change) {

        /** The row that there is, the newer one if there are two. */
        public Row row() {
            return newer != null ? newer : older;
        }

        /** Whether it is what a comparison is to find: ours is worse, wrong, gone, or was not reached. */
        public boolean isBad() {
            return RowNames.isOurs(row()) && (change == Change.WORSE || change == Change.WRONG || change == Change.GONE
                    || change == Change.NOT_REACHED);
        }

        /** Whether both runs measured it. */
        boolean isCompared() {
            return older != null && older.figure() != null && newer != null && newer.figure() != null;
        }

        /** Whether the two did the work in other ways. */
        public boolean isOtherSchedule() {
            return older != null && newer != null && !(older.schedule().equals(newer.schedule())
                    && older.means().equals(newer.means()));
        }
    }

    public ReportComparison {
        warnings = List.copyOf(warnings);
        Objects.requireNonNull(nothing, "nothing");
        lines = List.copyOf(lines);
        if (!(tolerance >= 0 && tolerance < 1)) {
            throw new IllegalArgumentException("a tolerance is at least 0 and less than 1, got " + tolerance);
        }
    }

    /** Compares. @param tolerance by which part of it a figure may be worse: at least 0, less than 1 */
    public static ReportComparison of(Report older, Report newer, double tolerance) {
        NotNull.all("older, newer", older, newer);
        Map<Row, Row> pairs = pairs(older.rows(), newer.rows());
        Set<String> ran = suites(newer.rows());
        older.rows().stream().map(Row::suite).filter(suite -> isAskedFor(suite, newer.command())).forEach(ran::add);
        List<Line> lines = new ArrayList<>();
        for (Row was : older.rows()) {
            Row is = pairs.get(was);
            if (ran.contains(was.suite()) && (is != null || was.figure() != null)) {
                lines.add(line(was, is, newer.complete(), tolerance));
            }
        }
        Set<Row> known = identitySet();
        known.addAll(pairs.values());
        newer.rows().stream().filter(row -> !known.contains(row) && row.figure() != null)
                .forEach(row -> lines.add(new Line(null, row, Double.NaN,
                        row.isCorrect() ? Change.NEW : Change.WRONG)));
        boolean common = lines.stream().anyMatch(Line::isCompared);
        return new ReportComparison(warnings(older, newer, ran), common ? "" : nothing(older, newer), lines, tolerance);
    }

    /**
     * Whether anything of ours is worse than the tolerance allows, wrong, gone, or was not reached; or nothing was
     * compared, which is no proof of anything.
     */
    public boolean isBad() {
        return !nothing.isEmpty() || lines.stream().anyMatch(Line::isBad);
    }

    /** Whether a run of a command was to measure a suite; unknown where it is not one of {@code bench}. */
    private static boolean isAskedFor(String suite, String command) {
        List<String> words = List.of(command.strip().split(" +"));
        return words.getFirst().equals("bench") && words.stream().skip(1).takeWhile(word -> !word.startsWith("-"))
                .anyMatch(word -> word.equals(suite) || word.equals("all"));
    }

    private static String nothing(Report older, Report newer) {
        Set<String> was = suites(measured(older));
        Set<String> is = suites(measured(newer));
        boolean sameSuites = was.stream().anyMatch(is::contains);
        return "nothing was compared: the older run measured " + names(was) + ", and the newer one "
                + (sameSuites ? "has none of these rows" : "measured " + names(is) + (is.isEmpty() ? "" : " alone"));
    }

    private static List<Row> measured(Report report) {
        return report.rows().stream().filter(row -> row.figure() != null).toList();
    }

    private static Set<String> suites(List<Row> rows) {
        Set<String> suites = new LinkedHashSet<>();
        rows.forEach(row -> suites.add(row.suite()));
        return suites;
    }

    private static String names(Set<String> suites) {
        return suites.isEmpty() ? "nothing" : String.join(", ", suites);
    }

    private static Line line(Row was, Row is, boolean complete, double tolerance) {
        if (is == null) {
            return new Line(was, null, Double.NaN, complete ? Change.GONE : Change.NOT_REACHED);
        }
        boolean wrong = !is.isCorrect();
        if (was.figure() == null || is.figure() == null) {
            return new Line(was, is, Double.NaN, wrong ? Change.WRONG
                    : is.figure() != null ? Change.NEW : was.figure() != null ? Change.GONE : Change.SAME);
        }
        double ratio = is.figure().median() / was.figure().median();
        return new Line(was, is, ratio, wrong ? Change.WRONG : change(ratio, was.unit(), tolerance));
    }

    /** A rate may fall to 1 - tolerance of what it was, and so may what 1/time is. */
    private static Change change(double ratio, Unit unit, double tolerance) {
        double better = unit.isMoreBetter() ? ratio : 1 / ratio;
        return better < 1 - tolerance ? Change.WORSE : better * (1 - tolerance) > 1 ? Change.BETTER : Change.SAME;
    }

    private static Map<Row, Row> pairs(List<Row> older, List<Row> newer) {
        Map<Row, Row> pairs = new IdentityHashMap<>();
        Map<Object, Deque<Row>> byKey = new HashMap<>();
        newer.forEach(row -> byKey.computeIfAbsent(exactly(row), _ -> new ArrayDeque<>()).add(row));
        for (Row was : older) {
            Deque<Row> same = byKey.get(exactly(was));
            if (same != null && !same.isEmpty()) {
                pairs.put(was, same.remove());
            }
        }
        Set<Row> taken = identitySet();
        taken.addAll(pairs.values());
        Map<Object, Row> oldOnes = unique(older.stream().filter(row -> !pairs.containsKey(row)).iterator());
        Map<Object, Row> newOnes = unique(newer.stream().filter(row -> !taken.contains(row)).iterator());
        oldOnes.forEach((key, was) -> {
            if (was != null && newOnes.get(key) != null) {
                pairs.put(was, newOnes.get(key));
            }
        });
        return pairs;
    }

    private static Object exactly(Row row) {
        return List.of(work(row), row.schedule(), row.means());
    }

    private static Object work(Row row) {
        return List.of(row.suite(), row.subject(), row.side(), row.parameters(), row.unit());
    }

    /** By the work that rows are of; null where several have the same. */
    private static Map<Object, Row> unique(Iterator<Row> rows) {
        Map<Object, Row> found = new LinkedHashMap<>();
        rows.forEachRemaining(row -> {
            Object key = work(row);
            found.put(key, found.containsKey(key) ? null : row);
        });
        return found;
    }

    private static Set<Row> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    private static List<String> warnings(Report older, Report newer, Set<String> ran) {
        List<String> warnings = new ArrayList<>();
        Machine was = older.machine();
        Machine is = newer.machine();
        differs(warnings, "GPU", was.gpu(), is.gpu());
        differs(warnings, "driver", was.driver(), is.driver());
        differs(warnings, "processor", was.processor(), is.processor());
        differs(warnings, "number of cores", was.cores() + "", is.cores() + "");
        differs(warnings, "Java virtual machine", was.java(), is.java());
        differs(warnings, "seed", older.seed() + "", newer.seed() + "");
        slowed(warnings, "older", was);
        slowed(warnings, "newer", is);
        Set<String> before = suites(older.rows());
        before.removeAll(ran);
        if (!before.isEmpty()) {
            warnings.add("not compared: " + names(before) + ", which the older run has and the newer one was not to "
                    + "measure");
        }
        if (!older.complete()) {
            warnings.add("the older run was interrupted");
        }
        if (!newer.complete()) {
            warnings.add("the newer run was interrupted");
        }
        return warnings;
    }

    private static void differs(List<String> warnings, String what, String was, String is) {
        if (!Objects.equals(was, is)) {
            warnings.add("another " + what + ": " + name(was) + " before, " + name(is) + " now");
        }
    }

    private static String name(String value) {
        return value == null || value.isEmpty() ? "none" : value;
    }

    private static void slowed(List<String> warnings, String run, Machine machine) {
        String before = machine.before().throttling();
        String why = before.isEmpty() ? machine.after().throttling() : before;
        if (!why.isEmpty()) {
            warnings.add("the GPU of the " + run + " run was slowed down: " + why);
        }
    }
}
