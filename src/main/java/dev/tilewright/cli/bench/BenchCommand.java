package dev.tilewright.cli.bench;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.report.ComparisonText;
import dev.tilewright.bench.report.JsonReport;
import dev.tilewright.bench.report.ReportComparison;
import dev.tilewright.bench.report.TextReport;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.bench.suite.Suites;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bench}: measurements, each beside what it is compared with in the same run. */
@Command(name = "bench", description = "Run measurements, each beside its baseline in the same run.")
public final class BenchCommand extends Verb {
    private static final int MOST_MEBIBYTES = 16384;
    /** In percent. */
    private static final int TOLERANCE = 5;
    /** That of {@link Settings#DEFAULT}. */
    private static final String WARM_UP = "200";

    private final PresetCatalog presets;

    @Parameters(index = "0", arity = "0..*", paramLabel = "SUITE", completionCandidates = SuiteNames.class,
            description = "what to measure: ${COMPLETION-CANDIDATES}, or all; default copy")
    List<String> names = List.of();

    @Option(names = "--sizes", paramLabel = "MIB", split = ",",
            description = "array sizes in MiB, 1 to 16384, of suites that measure arrays of any size; default 1024, of"
                    + " reference 64")
    List<Integer> mebibytes = List.of();

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "seed of all random data, default ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--turns", paramLabel = "N", defaultValue = "15",
            description = "how often each side is measured, default ${DEFAULT-VALUE}; suites with long measurements "
                    + "take fewer, the launch suite more; the warm-up does not depend on it")
    int turns;

    @Option(names = "--warm-up", paramLabel = "MILLISECONDS", defaultValue = WARM_UP,
            description = "how long a GPU works before it is measured, and how long times on the CPU must stay stable, "
                    + "default ${DEFAULT-VALUE}; 0 for no warm-up")
    int warmUp;

    @Option(names = "--gpu", paramLabel = "ORDINAL", defaultValue = "0",
            description = "which GPU, default ${DEFAULT-VALUE}")
    int gpu;

    @Option(names = "--no-rivals", description = "measure only ours and the driver's own")
    boolean alone;

    @Option(names = "--rivals", paramLabel = "FOLDER",
            description = "where native-tests/rivals/build has compiled the C++ side; default: compile it into the "
                    + "cache, if there is nvcc")
    Path rivals;

    @Written
    @Option(names = "--json", paramLabel = "FILE", description = "also write every figure as JSON")
    Path json;

    @Written
    @Option(names = "--csv", paramLabel = "FILE", description = "also write every figure as comma-separated values")
    Path csv;

    @Written
    @Option(names = "--html", paramLabel = "FILE", description = "also write a page with charts")
    Path html;

    @Option(names = "--read", paramLabel = "FILE",
            description = "measure nothing: show a file that --json wrote before, and write it as CSV or HTML")
    Path read;

    @Option(names = "--compare", arity = "2", paramLabel = "FILE",
            description = "measure nothing: compare two files written by --json, the older one first; exit code 1 if"
                    + " something of ours is worse beyond the tolerance, wrong, or gone from a suite that the newer run"
                    + " was to measure, and if the two have no measured row in common; suites that the newer run was "
                    + "not to measure are named and do not count")
    List<Path> compare;

    @Option(names = "--tolerance", paramLabel = "PERCENT",
            description = "by how much a median may be worse for --compare, default " + TOLERANCE)
    Double tolerance;

    /** The suites as lines of help list them. */
    static final class SuiteNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            try (RivalSides none = RivalSides.none("not looked for")) {
                return Suites.of(Presets.CATALOG, none).stream().map(Suite::name).iterator();
            }
        }
    }

    BenchCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
    }

    @Override
    public Integer call() {
        if (compare != null) {
            return compare();
        }
        if (tolerance != null) {
            throw new BadRequestException("--tolerance is for --compare OLD.json NEW.json, and there is none");
        }
        if (read != null) {
            return read();
        }
        List<Suite> listed = Suites.of(presets, RivalSides.none("not looked for"));
        suites(listed);
        Settings settings = settings();
        ReportFiles files = files(listed);
        try (RivalSides sides = sides()) {
            Report report = new BenchRun(terminal, files).of(suites(Suites.of(presets, sides)), settings, command());
            if (!report.isCorrect()) {
                return ExitCode.FOUND;
            }
            boolean nothing = report.rows().stream().allMatch(row -> row.verdict() == Verdict.NOT_RUN);
            return nothing ? ExitCode.MISSING : ExitCode.OK;
        }
    }

    private RivalSides sides() {
        return alone ? RivalSides.none("left out by --no-rivals")
                : rivals != null ? RivalSides.in(rivals, gpu) : RivalSides.ofThisMachine(terminal.progress(), gpu);
    }

    private ReportFiles files(List<Suite> all) {
        return new ReportFiles(json, csv, html,
                all.stream().collect(Collectors.toMap(Suite::name, Suite::description)), terminal);
    }

    private int read() {
        if (!names.isEmpty() || json != null) {
            throw new BadRequestException("--read measures nothing: it goes with --csv and --html alone");
        }
        Report report = JsonReport.read(read);
        try (RivalSides none = RivalSides.none("not looked for")) {
            ReportFiles files = files(Suites.of(presets, none));
            TextReport text = new TextReport(terminal::result);
            report.rows().forEach(text::row);
            text.summary(report);
            files.write(report);
        }
        return report.isCorrect() ? ExitCode.OK : ExitCode.FOUND;
    }

    private int compare() {
        if (!names.isEmpty() || json != null || csv != null || html != null || read != null) {
            throw new BadRequestException("--compare measures and writes nothing: it goes with --tolerance alone");
        }
        if (compare.size() != 2) {
            throw new BadRequestException("--compare takes two files, the older and the newer one, got "
                    + compare.size() + ": give it once");
        }
        double percent = tolerance == null ? TOLERANCE : tolerance;
        if (!(percent >= 0 && percent < 100)) {
            throw new BadRequestException("--tolerance takes percent from 0 to less than 100, got " + percent);
        }
        ReportComparison comparison = ReportComparison.of(JsonReport.read(compare.getFirst()),
                JsonReport.read(compare.getLast()), percent / 100);
        comparison.warnings().forEach(terminal::note);
        ComparisonText.write(comparison, terminal::result);
        return comparison.isBad() ? ExitCode.FOUND : ExitCode.OK;
    }

    private List<Suite> suites(List<Suite> all) {
        if (names.contains("all")) {
            return all;
        }
        List<Suite> chosen = new ArrayList<>();
        for (String name : names().stream().distinct().toList()) {
            chosen.add(all.stream().filter(suite -> suite.name().equals(name)).findFirst().orElseThrow(
                    () -> new BadRequestException("there is no suite '" + name + "': "
                            + all.stream().map(Suite::name).collect(Collectors.joining(", ")) + ", all")));
        }
        return chosen;
    }

    private List<String> names() {
        return names.isEmpty() ? List.of("copy") : names;
    }

    private Settings settings() {
        List<Long> sizes = new ArrayList<>();
        for (int mib : mebibytes) {
            if (mib < 1 || mib > MOST_MEBIBYTES) {
                throw new BadRequestException("--sizes takes MiB from 1 to " + MOST_MEBIBYTES + ", got " + mib);
            }
            if (!sizes.contains((long) mib << 20)) {
                sizes.add((long) mib << 20);
            }
        }
        Arguments.requireOrdinal(gpu);
        if (alone && rivals != null) {
            throw new BadRequestException("--no-rivals leaves out the rivals that --rivals names: give one of the two");
        }
        if (turns < 1 || turns > 10_000) {
            throw new BadRequestException("--turns takes 1 to 10000, got " + turns);
        }
        if (warmUp < 0 || warmUp > 60_000) {
            throw new BadRequestException("--warm-up takes milliseconds from 0 to 60000, got " + warmUp);
        }
        return new Settings(sizes, seed, turns, warmUp, gpu, !alone);
    }

    private String command() {
        StringBuilder words = new StringBuilder("bench " + String.join(" ", names()));
        if (!mebibytes.isEmpty()) {
            words.append(" --sizes ").append(mebibytes.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        return words.append(" --seed ").append(seed).append(" --turns ").append(turns)
                .append(warmUp == Settings.DEFAULT.warmUpMillis() ? "" : " --warm-up " + warmUp)
                .append(alone ? " --no-rivals" : "").toString();
    }
}
