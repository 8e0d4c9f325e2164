package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;

/** Measures, for each size, kernels that read arrays of random words, and write at most as many bytes. */
abstract class WordsSuite extends Suite {
    private final String subject;

    /** @param subject of the row that says what a size lacks */
    WordsSuite(String name, String description, String subject) {
        super(name, description, true);
        this.subject = subject;
    }

    @Override
    public final void run(Bench bench) {
        for (long bytes : bench.settings().sizes(1L << 30)) {
            bench.attempt(name(), subject, Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> {
                // The results are as large as the arrays, so that cuMemcpy copies one whole.
                try (WorkArrays arrays = new WorkArrays(bench.gpu(), bytes, bytes, Content.WORDS,
                        bench.settings().seed());
                        WorkRows rows = new WorkRows(bench, name(), arrays)) {
                    measure(bench, bytes, arrays, rows);
                }
            });
        }
    }

    /** Measures one size. @param bytes of each array and of each result */
    abstract void measure(Bench bench, long bytes, WorkArrays arrays, WorkRows rows);
}
