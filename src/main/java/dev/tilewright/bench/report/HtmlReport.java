package dev.tilewright.bench.report;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A report as a page: one HTML file that needs no network, with charts, the table of each, and every row. The charting
 * library is found when this is made, so that a run that is to end in a page does not begin without it.
 */
public final class HtmlReport {
    private static final int MOST_ITEMS = 20;

    private final ChartLibrary library;
    private final Map<String, String> about;

    /**
     * @param about what each suite measures against what, by its name; one that is missing has no such sentence
     * @throws MissingRequirementException if the charting library is not there, with what to add
     */
    public HtmlReport(Map<String, String> about) {
        this.about = Map.copyOf(Objects.requireNonNull(about, "about"));
        this.library = ChartLibrary.load();
    }

    /** The page. */
    public String text(Report report) {
        Objects.requireNonNull(report, "report");
        return HtmlWriter.write(page(report), library);
    }

    /** A word for an element's id. */
    static String id(String name) {
        String word = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return Character.isLetter((word + " ").charAt(0)) ? word : "x" + word;
    }

    private Page page(Report report) {
        Machine machine = report.machine();
        String title = "Tilewright on " + (machine.gpu().isEmpty() ? machine.processor() : machine.gpu());
        List<Page.Section> sections = new ArrayList<>();
        demanded(report).ifPresent(sections::add);
        List<String> suites = report.rows().stream().map(Row::suite).distinct().toList();
        suites.forEach(suite -> sections.add(section(suite, report.of(suite), machine)));
        RooflineChart.of(report).ifPresent(chart -> sections.add(new Page.Section("section-roofline", "roofline",
                "What bounds each kernel that computes: the memory, or arithmetic.", List.of(chart), List.of())));
        return new Page(title,
                "Every figure stands beside what it is compared with, measured in the same run. A figure whose "
                + "output was wrong is in no chart.", notices(report), counts(report), facts(report), sections,
                "Made by tilewright " + report.command() + ". GB are 10⁹ bytes, GiB are 2³⁰ bytes.");
    }

    private static List<Page.Notice> notices(Report report) {
        List<Page.Notice> notices = new ArrayList<>();
        if (!report.complete()) {
            notices.add(new Page.Notice("This run was interrupted: what it had measured until then is here, no more.",
                    List.of(), false));
        }
        List<Row> wrong = report.rows().stream().filter(row -> !row.isCorrect()).toList();
        if (!wrong.isEmpty()) {
            notices.add(new Page.Notice("The output was wrong:", items(wrong), true));
        }
        Machine machine = report.machine();
        String slowed = Stream.of(machine.before(), machine.after()).map(Clocks::throttling)
                .filter(why -> !why.isEmpty()).distinct().collect(Collectors.joining("; "));
        if (!slowed.isEmpty()) {
            notices.add(new Page.Notice("The GPU was slowed down: " + slowed
                    + ". Ratios within this run still hold, as both "
                    + "sides were measured in turns; figures are lower than they could be.", List.of(), false));
        }
        List<Row> restless = report.rows().stream().filter(row -> !row.isSettled()).toList();
        if (!restless.isEmpty()) {
            notices.add(new Page.Notice("Measured before their times had settled, so that another run may differ more "
                    + "than the quartiles say:", items(restless), false));
        }
        List<Row> without = report.rows().stream().filter(row -> row.verdict() == Verdict.NOT_RUN).toList();
        if (!without.isEmpty()) {
            notices.add(new Page.Notice("Not measured:", items(without), false));
        }
        return notices;
    }

    private static List<String> items(List<Row> rows) {
        List<String> items = new ArrayList<>(rows.stream().limit(MOST_ITEMS).map(row -> row.suite() + ": "
                + RowNames.name(row) + ": " + row.note()).toList());
        if (rows.size() > MOST_ITEMS) {
            items.add("and " + (rows.size() - MOST_ITEMS) + " more; the tables have all");
        }
        return items;
    }

    private static List<Page.Count> counts(Report report) {
        long verified = count(report, Verdict.VERIFIED);
        long wrong = count(report, Verdict.WRONG);
        long without = count(report, Verdict.NOT_RUN);
        List<Page.Count> counts = new ArrayList<>();
        counts.add(new Page.Count(Figures.number(report.rows().size() - without), "measurements", ""));
        counts.add(new Page.Count(Figures.number(verified), "outputs verified to the byte",
                verified > 0 ? "good" : ""));
        counts.add(new Page.Count(Figures.number(wrong), "outputs wrong", wrong > 0 ? "bad" : ""));
        counts.add(new Page.Count(Figures.number(without), "not measured", ""));
        long restless = report.rows().stream().filter(row -> !row.isSettled()).count();
        if (restless > 0) {
            counts.add(new Page.Count(Figures.number(restless), Row.NOT_SETTLED, "bad"));
        }
        long held = report.rows().stream().flatMap(row -> row.ratios().stream()).filter(r -> r.demanded() != null)
                .count();
        if (held > 0) {
            long reached = report.rows().stream().mapToLong(row -> row.ratios().stream()
                    .filter(r -> r.demanded() != null && r.reached(row.unit())).count()).sum();
            counts.add(new Page.Count(reached + " of " + held, "demands reached", reached == held ? "good" : "bad"));
        }
        return counts;
    }

    private static long count(Report report, Verdict verdict) {
        return report.rows().stream().filter(row -> row.verdict() == verdict).count();
    }

    private static List<Page.Fact> facts(Report report) {
        Machine machine = report.machine();
        List<Page.Fact> facts = new ArrayList<>();
        if (!machine.gpu().isEmpty()) {
            facts.add(new Page.Fact("GPU", machine.gpu() + ", " + machine.target() + ", " + machine.multiprocessors()
                    + " multiprocessors"));
            facts.add(new Page.Fact("memory", Figures.bytes(machine.memoryBytes())
                    + (machine.ratedGigabytesPerSecond() > 0
                    ? ", rated at " + Figures.number(machine.ratedGigabytesPerSecond()) + " GB/s" : "")
                    + (machine.cacheBytes() > 0 ? ", L2 of " + Figures.bytes(machine.cacheBytes()) : "")));
            facts.add(new Page.Fact("clocks before", clocks(machine.before())));
            facts.add(new Page.Fact("clocks after", clocks(machine.after())));
            facts.add(new Page.Fact("driver", name(machine.driver(), "unknown") + ", CUDA "
                    + name(machine.cuda(), "unknown")));
            facts.add(new Page.Fact("NVRTC", name(machine.nvrtc(), "unknown")));
        }
        facts.add(new Page.Fact("processor", machine.processor() + ", " + machine.cores() + " cores for this process"));
        facts.add(new Page.Fact("system", machine.system()));
        facts.add(new Page.Fact("Java", machine.java()));
        facts.add(new Page.Fact("Tilewright", name(machine.version(), "unknown version") + ", revision "
                + name(machine.revision(), "unknown")));
        facts.add(new Page.Fact("seed", Long.toString(report.seed())));
        facts.add(new Page.Fact("started", report.started()));
        facts.add(new Page.Fact("command", "tilewright " + report.command()));
        return facts;
    }

    private static String name(String value, String otherwise) {
        return value.isEmpty() ? otherwise : value;
    }

    private static String clocks(Clocks clocks) {
        if (clocks.multiprocessorMegahertz() == 0) {
            return "unknown";
        }
        return clocks.multiprocessorMegahertz() + " MHz, memory " + clocks.memoryMegahertz() + " MHz, "
                + (clocks.throttling().isEmpty() ? "not slowed down" : clocks.throttling())
                + (clocks.celsius() > 0 ? ", " + clocks.celsius() + " °C" : "")
                + (clocks.watts() > 0 ? ", " + clocks.watts() + " W" : "");
    }

    private static Optional<Page.Section> demanded(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (Row row : report.rows()) {
            for (Ratio ratio : row.ratios()) {
                if (ratio.demanded() != null) {
                    rows.add(List.of(row.suite(), row.subject(), RowNames.work(row), ratio.of(),
                            Figures.ratio(ratio.value(), ratio.demanded()),
                            (row.unit().isMoreBetter() ? "at least " : "at most ")
                                    + Figures.ratio(ratio.demanded(), ratio.value()),
                            row.isSettled() ? "" : Row.NOT_SETTLED, ratio.reached(row.unit()) ? "reached" : "missed"));
                }
            }
        }
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        List<Page.TableOfRows> tables = new ArrayList<>();
        for (String result : List.of("missed", "reached")) {
            List<List<String>> some = rows.stream().filter(row -> row.getLast().equals(result)).toList();
            if (!some.isEmpty()) {
                tables.add(new Page.TableOfRows(some.size() + " " + result,
                        result.equals("missed") && some.size() <= MOST_ITEMS, new DataTable(
                                List.of("suite", "subject", "measured with", "of", "ratio", "demanded", "times", ""),
                                some)));
            }
        }
        return Optional.of(new Page.Section("section-demands", "demands",
                "What is demanded of ratios within one run, whatever the GPU.", List.of(), tables));
    }

    private Page.Section section(String suite, List<Row> rows, Machine machine) {
        String all = (rows.size() == 1 ? "The row" : "All " + rows.size() + " rows") + " of " + suite;
        return new Page.Section("section-" + id(suite), suite, about.getOrDefault(suite, ""),
                SuiteCharts.of(suite, rows, machine), List.of(new Page.TableOfRows(all, false, table(rows))));
    }

    private static DataTable table(List<Row> rows) {
        List<String> others = rows.stream().flatMap(row -> row.ratios().stream()).map(Ratio::of).distinct().toList();
        List<String> head = new ArrayList<>(List.of("subject", "side", "measured with", "median", "", "quartiles",
                "least to most", "samples"));
        others.forEach(other -> head.add("of " + other));
        head.addAll(List.of("output", "note"));
        return new DataTable(head, rows.stream().map(row -> cells(row, others)).toList());
    }

    private static List<String> cells(Row row, List<String> others) {
        Spread figure = row.figure();
        List<String> cells = new ArrayList<>(List.of(row.subject(), row.side(), RowNames.work(row)));
        cells.addAll(figure == null ? List.of("", "", "", "", "") : List.of(Figures.number(figure.median()),
                Figures.symbol(row.unit()), range(figure.lowerQuartile(), figure.upperQuartile()),
                range(figure.least(), figure.most()), Integer.toString(figure.samples())));
        others.forEach(other -> cells.add(row.ratios().stream().filter(r -> r.of().equals(other)).findFirst()
                .map(r -> Figures.ratio(r.value())).orElse("")));
        cells.add(switch (row.verdict()) {
            case VERIFIED -> "verified";
            case WRONG -> "wrong";
            case NO_OUTPUT -> "none";
            case NOT_RUN -> "not run";
        });
        cells.add(row.note());
        return cells;
    }

    private static String range(double from, double to) {
        return Figures.number(from) + " to " + Figures.number(to);
    }
}
