package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;

/** Measures, for each size, kernels that read arrays of random words, and write at most as many bytes. */
abstract class WordsSuite implements Suite {
    private final String name;
    private final String description;
    private final String subject;

    /** @param subject of the row that says what a size lacks */
    WordsSuite(String name, String description, String subject) {
        this.name = name;
        this.description = description;
        this.subject = subject;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String description() {
        return description;
    }

    @Override
    public final boolean needsGpu() {
        return true;
    }

    @Override
    public final void run(Bench bench) {
        for (long bytes : bench.settings().sizes(1L << 30)) {
            bench.attempt(name, subject, Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> {
                // The results are as large as the arrays, so that cuMemcpy copies one whole.
                try (WorkArrays arrays = new WorkArrays(bench.gpu(), bytes, bytes, Content.WORDS, bench.settings().seed());
                        WorkRows rows = new WorkRows(bench, name, arrays)) {
                    measure(bench, bytes, arrays, rows);
                }
            });
        }
    }

    /** Measures one size. @param bytes of each array and of each result */
    abstract void measure(Bench bench, long bytes, WorkArrays arrays, WorkRows rows);
}
