package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.rival.RivalRows;
import dev.tilewright.bench.rival.RivalSides;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The C++ kernels beside copies of ours: measured when the first of ours that copies in the same way has been, each
 * once for every size. Ours stands beside the fastest of them: {@link FastestRivals}.
 */
final class CopyRivals {
    /** Within 1 % of the best, of the forms of which a part of cuMemcpy's speed is demanded too. */
    private static final double DEMANDED = 0.99;
    private static final long COLUMNS = 4096;

    private final Bench bench;
    private final RivalsBeside others;
    private final Map<String, List<Row>> measured = new TreeMap<>();

    CopyRivals(Bench bench, String suite, RivalSides sides) {
        this.bench = bench;
        this.others = new RivalsBeside(bench, suite, sides);
    }

    /** Ours beside the fastest rival that copies the same way; rivals are added to the bench the first time. */
    Row beside(Row ours, long bytes) {
        Set<String> mechanisms = RivalRows.mechanismsBeside(ours.subject());
        if (!bench.settings().rivals() || mechanisms.isEmpty()) {
            return ours;
        }
        String key = bytes + " " + new TreeSet<>(mechanisms);
        List<Row> theirs = measured.computeIfAbsent(key, _ -> others.kernels(ours.subject(), mechanisms, bytes));
        boolean demanded = ours.ratios().stream().anyMatch(ratio -> ratio.demanded() != null);
        return FastestRivals.beside(ours, theirs, mechanisms, demanded ? DEMANDED : null);
    }

    /** PyTorch's and Triton's copies of as many bytes, as matrices of f32. */
    void others(long bytes) {
        if (bytes % (COLUMNS * Float.BYTES) == 0) {
            List<Long> matrix = List.of(bytes / Float.BYTES / COLUMNS, COLUMNS);
            others.completing(row -> row.with("size", bytes)).python("copy", "copy", "f32", matrix);
        }
    }
}
