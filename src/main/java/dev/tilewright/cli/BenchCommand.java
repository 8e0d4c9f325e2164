package dev.tilewright.cli;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.tilewright.BadRequestException;
import dev.tilewright.bench.CopyBenchmark;
import dev.tilewright.bench.CopySuite;
import dev.tilewright.bench.EmitBenchmark;
import dev.tilewright.bench.HazardBenchmark;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.Drivers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bench}: measurements, each beside what it is compared with in the same run. */
@Command(name = "bench", description = "Measurements, each with what it is compared against in the same run.")
final class BenchCommand implements Callable<Integer> {
    private static final long CHECKED_ROWS = 1024;

    /** What can be measured. */
    enum Suite {
        /** Copying one array through each builder's defaults, against cuMemcpy. */
        COPY,
        /** The same for many tiles, stages and grids. */
        SWEEP,
        /** Building and emitting every preset; needs no GPU. */
        EMIT,
        /** Checking every preset for hazards; needs no GPU. */
        CHECK
    }

    /** What was measured; a document's fields. */
    private sealed interface Figures {
        /** Whether everything that was measured did what it should. */
        @JsonIgnore
        boolean correct();
    }

    private record EmitFigures(List<EmitBenchmark.Row> emit) implements Figures {
        @Override
        public boolean correct() {
            return true;
        }
    }

    private record CheckFigures(List<HazardBenchmark.Row> check) implements Figures {
        @Override
        public boolean correct() {
            return check.stream().allMatch(r -> r.findings() == 0);
        }
    }

    /** @param sizes the figures of each size, such as {@code 1024 MiB}, in a field of their own */
    private record CopyFigures(String device, @JsonAnyGetter Map<String, List<CopyBenchmark.Row>> sizes)
            implements Figures {
        @Override
        public boolean correct() {
            return sizes.values().stream().flatMap(List::stream).allMatch(CopyBenchmark.Row::correct);
        }
    }

    private final Terminal terminal;
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Parameters(index = "0", arity = "0..1", defaultValue = "copy", paramLabel = "SUITE",
            description = "copy, sweep, emit or check; default ${DEFAULT-VALUE}")
    Suite suite;

    @Option(names = "--sizes", paramLabel = "MIB", split = ",", defaultValue = "1024",
            description = "array sizes in MiB, default ${DEFAULT-VALUE}")
    List<Integer> mebibytes;

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
        Figures figures = switch (suite) {
            case EMIT -> emit();
            case CHECK -> check();
            case COPY, SWEEP -> copies();
        };
        if (json != null) {
            TextFile.write(json, Json.document(figures));
        }
        return figures.correct() ? ExitCode.OK : ExitCode.FOUND;
    }

    private Figures emit() {
        List<EmitBenchmark.Row> rows = EmitBenchmark.run(presets.presets());
        rows.forEach(r -> terminal.result(String.format("%-22s %6d bytes  median %7.1f us  worst %8.1f us",
                r.preset(), r.sourceBytes(), r.medianMicros(), r.worstMicros())));
        return new EmitFigures(rows);
    }

    private Figures check() {
        List<HazardBenchmark.Row> rows = HazardBenchmark.run(presets.presets(), CHECKED_ROWS);
        terminal.result("a matrix of " + CHECKED_ROWS
                + " rows of 1,024 floats, MB/s read plus written, median of 7 after the first");
        rows.forEach(r -> terminal.result(String.format("%-22s first %8.1f ms  median %8.1f ms  %7.1f MB/s%s",
                r.preset(), r.firstMillis(), r.medianMillis(), r.megabytesPerSecond(),
                r.findings() == 0 ? "" : "  " + r.findings() + " FINDINGS")));
        return new CheckFigures(rows);
    }

    private Figures copies() {
        Map<String, List<CopyBenchmark.Row>> sizes = new LinkedHashMap<>();
        try (Driver driver = Drivers.gpu(Devices.probe(), EmitOptions.DEFAULT, terminal.progress(), terminal::note)) {
            List<CopySuite.Candidate> kernels = suite == Suite.SWEEP
                    ? CopySuite.sweep(presets.mechanisms()) : CopySuite.defaults(presets.mechanisms());
            for (int mib : mebibytes) {
                if (mib < 1 || mib > 16384) {
                    throw new BadRequestException("--sizes takes MiB from 1 to 16384, got " + mib);
                }
                long bytes = (long) mib << 20;
                try (CopyBenchmark benchmark = new CopyBenchmark(driver, bytes)) {
                    List<CopyBenchmark.Row> rows = CopySuite.measure(benchmark, bytes, kernels);
                    sizes.put(mib + " MiB", rows);
                    terminal.result(driver.name() + ", " + mib
                            + " MiB, GB/s read plus written, median of 15, every result compared");
                    rows.forEach(r -> terminal.result(String.format("%-60s %7d blocks %8.1f GB/s  %.3f of cuMemcpy%s",
                            r.name(), r.blocks(), r.gigabytesPerSecond(), r.ofMemcpy(),
                            r.correct() ? "" : "  WRONG BYTES")));
                }
            }
            return new CopyFigures(driver.name(), sizes);
        }
    }
}
