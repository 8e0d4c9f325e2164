package dev.tilewright.bench;

import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** How long it takes to check a preset for hazards. Runs anywhere. */
public final class HazardBenchmark {
    private static final int TURNS = 7;

    /**
     * One measurement.
     *
     * @param arrayBytes bytes of the array that goes through the kernel
     * @param firstMillis the first check, with nothing warm but what the presets before have used too
     * @param millis several more
     * @param findings hazards found, which should be none
     */
    public record Row(String preset, long arrayBytes, double firstMillis, Spread millis, int findings) {
    }

    private HazardBenchmark() {
    }

    /** Measures these presets on a matrix of {@code rows} rows of 1,024 floats. */
    public static List<Row> run(List<Preset> presets, long rows) {
        return presets.stream().map(preset -> run(preset, rows)).toList();
    }

    private static Row run(Preset preset, long rows) {
        TileKernel kernel = preset.build(ElementType.F32);
        Launch launch = kernel.launch(List.of(rows, 1024L), 0);
        long bytes = rows * 4096;
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = List.of(arena.allocate(bytes, 256), arena.allocate(bytes, 256),
                    arena.allocate(Math.max(1, kernel.workspaceBytes(launch)), 256));
            double[] millis = new double[TURNS];
            double first = 0;
            int findings = 0;
            for (int i = -1; i < TURNS; i++) {
                long start = System.nanoTime();
                HazardReport report = HazardCheck.check(launch, memory);
                double taken = (System.nanoTime() - start) / 1e6;
                findings += report.findings().size();
                if (i < 0) {
                    first = taken;
                } else {
                    millis[i] = taken;
                }
            }
            return new Row(preset.name(), bytes, first, Spread.of(millis), findings);
        }
    }
}
