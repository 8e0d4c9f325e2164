package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.report.TextReport;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.bench.suite.Suites;
import dev.tilewright.builder.PresetCatalog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bench}: measurements, each beside what it is compared with in the same run. */
@Command(name = "bench", description = "Measurements, each with what it is compared against in the same run.")
final class BenchCommand implements Callable<Integer> {
    private static final int MOST_MEBIBYTES = 16384;

    private final Terminal terminal;
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Parameters(index = "0", arity = "0..*", defaultValue = "copy", paramLabel = "SUITE",
            description = "what to measure, or all; default ${DEFAULT-VALUE}; a name that is none lists them")
    List<String> names;

    @Option(names = "--sizes", paramLabel = "MIB", split = ",", description = "array sizes in MiB, 1 to 16384; default 1024")
    List<Integer> mebibytes = List.of();

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "of all random data, default ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--turns", paramLabel = "N", defaultValue = "15",
            description = "measurements of each side, default ${DEFAULT-VALUE}")
    int turns;

    @Option(names = "--gpu", paramLabel = "ORDINAL", defaultValue = "0", description = "which GPU, default ${DEFAULT-VALUE}")
    int gpu;

    @Option(names = "--no-rivals", description = "measure ours and the driver's own alone")
    boolean alone;

    @Option(names = "--rivals", paramLabel = "FOLDER",
            description = "where native-tests/rivals/build has compiled the C++ side; default compiles it into the cache,"
                    + " where there is nvcc")
    Path rivals;

    @Option(names = "--json", paramLabel = "FILE", description = "also write every figure as JSON")
    Path json;

    BenchCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
    }

    @Override
    public Integer call() {
        if (json != null) {
            TextFile.requirePlace(json);
        }
        TextReport text = new TextReport(terminal::result);
        try (RivalSides sides = sides();
                Bench bench = new Bench(settings(), command(), terminal.progress(), text::row)) {
            bench.run(suites(sides));
            Report report = bench.report();
            text.summary(report);
            if (json != null) {
                TextFile.write(json, Json.document(report));
            }
            return report.isCorrect() ? ExitCode.OK : ExitCode.FOUND;
        }
    }

    private RivalSides sides() {
        return alone ? RivalSides.none("left out by --no-rivals")
                : rivals != null ? RivalSides.in(rivals, gpu) : RivalSides.ofThisMachine(terminal.progress(), gpu);
    }

    private List<Suite> suites(RivalSides sides) {
        List<Suite> all = Suites.of(presets, sides);
        if (names.contains("all")) {
            return all;
        }
        List<Suite> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(all.stream().filter(suite -> suite.name().equals(name)).findFirst().orElseThrow(
                    () -> new BadRequestException("there is no suite '" + name + "': "
                            + all.stream().map(Suite::name).collect(Collectors.joining(", ")) + ", all")));
        }
        return chosen;
    }

    private Settings settings() {
        List<Long> sizes = new ArrayList<>();
        for (int mib : mebibytes) {
            if (mib < 1 || mib > MOST_MEBIBYTES) {
                throw new BadRequestException("--sizes takes MiB from 1 to " + MOST_MEBIBYTES + ", got " + mib);
            }
            sizes.add((long) mib << 20);
        }
        if (turns < 1 || turns > 10_000) {
            throw new BadRequestException("--turns takes 1 to 10000, got " + turns);
        }
        return new Settings(sizes, seed, turns, Settings.DEFAULT.warmUpMillis(), gpu, !alone);
    }

    private String command() {
        StringBuilder words = new StringBuilder("bench " + String.join(" ", names));
        if (!mebibytes.isEmpty()) {
            words.append(" --sizes ").append(mebibytes.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        return words.append(" --seed ").append(seed).append(" --turns ").append(turns).toString();
    }
}
