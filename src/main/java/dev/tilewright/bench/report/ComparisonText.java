package dev.tilewright.bench.report;

import dev.tilewright.NotNull;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** A comparison as a table: what is bad first, then the rest, and a last line that counts. */
public final class ComparisonText {
    /** Names that are longer have a line of their own. */
    private static final int NAME = 58;

    private ComparisonText() { }

    /** @param out is given each line */
    public static void write(ReportComparison comparison, Consumer<String> out) {
        NotNull.all("comparison, out", comparison, out);
        List<ReportComparison.Line> bad = comparison.lines().stream().filter(ReportComparison.Line::isBad).toList();
        List<ReportComparison.Line> rest = comparison.lines().stream().filter(line -> !line.isBad()).toList();
        if (!bad.isEmpty()) {
            table("beyond the tolerance of " + percent(comparison.tolerance()), bad, out);
        }
        if (!rest.isEmpty()) {
            table(!comparison.isBad() ? "none of ours beyond the tolerance of " + percent(comparison.tolerance())
                    : "the others", rest, out);
        }
        out.accept("");
        if (!comparison.nothing().isEmpty()) {
            out.accept(comparison.nothing());
        }
        out.accept(summary(comparison));
    }

    private static void table(String title, List<ReportComparison.Line> lines, Consumer<String> out) {
        out.accept("");
        out.accept(String.format(Locale.ROOT, "%-60s %14s %14s %-8s %6s", title, "before", "now", "", "ratio"));
        String suite = "";
        for (ReportComparison.Line line : lines) {
            Row row = line.row();
            if (!row.suite().equals(suite)) {
                suite = row.suite();
                out.accept(suite);
            }
            String name = RowNames.name(row);
            if (name.length() > NAME) {
                out.accept("  " + name);
                name = "";
            }
            out.accept(String.format(Locale.ROOT, "  %-" + NAME + "s %14s %14s %-8s %6s  %s", name,
                    median(line.older()), median(line.newer()), row.unit(), Double.isNaN(line.ratio()) ? ""
                    : Figures.ratio(line.ratio()), words(line)).stripTrailing());
        }
    }

    private static String median(Row row) {
        Spread figure = row == null ? null : row.figure();
        return figure == null ? "-" : Figures.number(figure.median());
    }

    private static String words(ReportComparison.Line line) {
        String schedule = line.isOtherSchedule() ? " (before: " + RowNames.work(line.older()) + ")" : "";
        return switch (line.change()) {
            case SAME -> "";
            case BETTER -> "better";
            case WORSE -> "WORSE";
            case WRONG -> withNote("WRONG", line.newer());
            case GONE -> withNote("GONE", line.newer());
            case NOT_REACHED -> "not reached";
            case NEW -> "new";
        } + schedule;
    }

    private static String withNote(String word, Row row) {
        return row == null || row.note().isEmpty() ? word : word + ": " + row.note();
    }

    private static String summary(ReportComparison comparison) {
        Map<ReportComparison.Change, Integer> counts = new EnumMap<>(ReportComparison.Change.class);
        comparison.lines().forEach(line -> counts.merge(line.change(), 1, Integer::sum));
        StringBuilder text = new StringBuilder("compared " + comparison.lines().size());
        for (ReportComparison.Change change : ReportComparison.Change.values()) {
            text.append(' ').append(change.name().toLowerCase(Locale.ROOT).replace('_', '-')).append(' ')
                    .append(counts.getOrDefault(change, 0));
        }
        return text.append(" tolerance ").append(percent(comparison.tolerance())).toString();
    }

    private static String percent(double part) {
        return Figures.number(part * 100) + " %";
    }
}
