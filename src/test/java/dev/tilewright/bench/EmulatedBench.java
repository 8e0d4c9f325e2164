package dev.tilewright.bench;

import dev.tilewright.Progress;
import dev.tilewright.bench.result.Row;
import dev.tilewright.gpu.SilentFunctionsGpu;
import java.util.ArrayList;
import java.util.List;

/** Runs suites on an emulated GPU on which checks find nothing: that a suite launches what it should is all this shows. */
public final class EmulatedBench {
    private EmulatedBench() { }

    /** All rows of a suite on arrays of a few KiB. */
    public static List<Row> run(Suite suite, long bytes) {
        List<Row> rows = new ArrayList<>();
        try (Bench bench = new Bench(new Settings(List.of(bytes), 1, 1, 0, 0, true), "bench", Progress.NONE, rows::add,
                () -> { }, SilentFunctionsGpu::open)) {
            bench.run(List.of(suite));
        }
        return rows;
    }
}
