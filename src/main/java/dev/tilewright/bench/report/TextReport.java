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
    private final Consumer<String> out;
    private String suite = "";

    /** @param out is given each line */
    public TextReport(Consumer<String> out) {
        this.out = out;
    }

    /** A row. */
    public void row(Row row) {
        if (!row.suite().equals(suite)) {
            suite = row.suite();
            out.accept("");
            out.accept(String.format("%-12s %-44s %-11s %12s  %s", suite, "", "", "median", "least to most"));
        }
        String subject = (row.subject() + " " + Rows.parameters(row)).strip();
        if (row.verdict() == Verdict.NOT_RUN) {
            out.accept(String.format("  %-55s %-11s not run: %s", subject, row.side(), row.note()));
            return;
        }
        Spread figure = row.figure();
        out.accept(String.format(Locale.ROOT, "  %-55s %-11s %10s %s  %s to %s%s%s%s", subject, row.side(),
                number(figure.median()), row.unit(), number(figure.least()), number(figure.most()), ratios(row),
                row.verdict() == Verdict.WRONG ? "  WRONG" : "", row.note().isEmpty() ? "" : "  " + row.note()));
    }

    private static String ratios(Row row) {
        return row.ratios().stream().map(ratio -> "  " + String.format(Locale.ROOT, "%.3f", ratio.value()) + " of "
                + ratio.of()
                + demand(ratio, row)).collect(Collectors.joining());
    }

    private static String demand(Ratio ratio, Row row) {
        return ratio.demanded() == null ? "" : " (" + (ratio.reached(row.unit()) ? "reached " : "MISSED ")
                + String.format(Locale.ROOT, "%.3f", ratio.demanded()) + ")";
    }

    /** Four digits that count. */
    static String number(double value) {
        return String.format(Locale.ROOT, value >= 1000 ? "%.0f" : value >= 100 ? "%.1f"
                : value >= 10 ? "%.2f" : "%.3f",
                value);
    }

    /** After the last row. */
    public void summary(Report report) {
        Machine machine = report.machine();
        out.accept("");
        out.accept((machine.gpu().isEmpty() ? "" : machine.gpu() + ", driver " + machine.driver() + ", "
                + clocks(machine.before()) + clocks(machine.after())) + machine.processor() + ", " + machine.cores()
                + " cores, " + machine.java());
        List<Row> missed = report.rows().stream().filter(row -> !row.isReached()).toList();
        long wrong = report.rows().stream().filter(row -> !row.isCorrect()).count();
        long without = report.rows().stream().filter(row -> row.verdict() == Verdict.NOT_RUN).count();
        out.accept(report.rows().size() + " rows, " + wrong + " wrong, " + without + " not run, " + missed.size()
                + " below what is demanded" + (report.complete() ? "" : "; interrupted"));
    }

    private static String clocks(Clocks clocks) {
        return clocks.multiprocessorMegahertz() == 0 ? "" : clocks.multiprocessorMegahertz() + " MHz"
                + (clocks.throttling().isEmpty() ? "" : " (" + clocks.throttling() + ")") + ", ";
    }
}
