package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Rows on a terminal, each as soon as it is known, and what they add up to. */
public final class TextReport {
    private static final int NAME = 58;
    private static final int SIDE = 18;
    private static final int MEDIAN = 9;
    private static final int UNIT = 7;
    /** From here on, powers of ten. */
    private static final double MOST = 1e7;
    private static final int LEAST_TO_MOST = 14;

    private final Consumer<String> out;
    private String suite = "";

    /** @param out is given each line */
    public TextReport(Consumer<String> out) {
        this.out = out;
    }

    /** A row. A name that is longer than its column has a line of its own. */
    public void row(Row row) {
        if (!row.suite().equals(suite)) {
            suite = row.suite();
            out.accept("");
            out.accept(line(suite, "", String.format("%" + (MEDIAN + 1 + UNIT) + "s", "median"), "least to most"));
        }
        String name = "  " + (row.subject() + " " + RowNames.work(row)).strip();
        if (name.length() > NAME) {
            out.accept(name);
            name = "";
        }
        Spread figure = row.figure();
        out.accept(row.verdict() == Verdict.NOT_RUN ? line(name, row.side(), "not run: " + row.note(), "")
                : line(name, row.side(), String.format("%" + MEDIAN + "s %-" + UNIT + "s", number(figure.median()),
                row.unit()),
                String.format("%-" + LEAST_TO_MOST + "s", number(figure.least()) + " to " + number(figure.most()))
                + ratios(row)
                + (row.verdict() == Verdict.WRONG ? "  WRONG" : "") + (row.note().isEmpty() ? "" : "  " + row.note())));
    }

    private static String line(String name, String side, String median, String rest) {
        return String.format("%-" + NAME + "s  %-" + SIDE + "s %s  %s", name, side, median, rest).stripTrailing();
    }

    private static String ratios(Row row) {
        return row.ratios().stream().map(ratio -> "  " + (ratio.demanded() == null
                ? String.format(Locale.ROOT, "%.3f", ratio.value()) : Figures.ratio(ratio.value(), ratio.demanded()))
                + " of " + ratio.of() + demand(ratio, row)).collect(Collectors.joining());
    }

    private static String demand(Ratio ratio, Row row) {
        return ratio.demanded() == null ? "" : " (" + (ratio.reached(row.unit()) ? "reached " : "MISSED ")
                + Figures.ratio(ratio.demanded(), ratio.value()) + ")";
    }

    /** At least four digits that count, as many as a column has room for. */
    static String number(double value) {
        return String.format(Locale.ROOT, value >= MOST ? "%.3e" : value >= 1000 ? "%.0f" : value >= 100 ? "%.1f"
                : value >= 10 ? "%.2f" : "%.3f",
                value);
    }

    /** After the last row. */
    public void summary(Report report) {
        Machine machine = report.machine();
        out.accept("");
        out.accept((machine.gpu().isEmpty() ? "" : machine.gpu() + ", driver " + machine.driver() + ", "
                + (machine.nvrtc().isEmpty() ? "" : "NVRTC " + machine.nvrtc() + ", ") + clocks(machine))
                + machine.processor() + ", " + machine.cores() + " cores, " + machine.java());
        if (report.rows().stream().anyMatch(row -> row.ratioTo(Row.CPP).isPresent()
                && row.ratioTo(Row.MEMCPY).isPresent())) {
            out.accept("of C++: the part of cuMemcpy that ours has, over that of the fastest kernel in "
                    + RowNames.cpp(report.rows()) + "; each was measured in turns with cuMemcpy in its own process, on "
                    + "arrays that lie alike");
        }
        List<Row> missed = report.rows().stream().filter(row -> !row.isReached()).toList();
        long wrong = report.rows().stream().filter(row -> !row.isCorrect()).count();
        long without = report.rows().stream().filter(row -> row.verdict() == Verdict.NOT_RUN).count();
        out.accept(report.rows().size() + (report.rows().size() == 1 ? " row, " : " rows, ") + wrong + " wrong, "
                + without + " not run, " + missed.size()
                + " below what is demanded" + (report.complete() ? "" : "; interrupted"));
    }

    /** Such as {@code multiprocessors at 1980 MHz before and after, }. */
    private static String clocks(Machine machine) {
        String before = clock(machine.before());
        String after = clock(machine.after());
        return before.isEmpty() || after.isEmpty() ? "" : "multiprocessors at " + (before.equals(after)
                ? before + " before and after, " : before + " before, " + after + " after, ");
    }

    private static String clock(Clocks clocks) {
        return clocks.multiprocessorMegahertz() == 0 ? "" : clocks.multiprocessorMegahertz() + " MHz"
                + (clocks.throttling().isEmpty() ? "" : " (" + clocks.throttling() + ")");
    }
}
