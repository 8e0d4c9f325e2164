package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.EmulatedBench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalSides;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The suites of device work on an emulated GPU: every kernel is launched on buffers that it takes, and every rival that is
 * not there is a row that says so. What kernels write is tested without a suite.
 */
class DeviceSuitesTest {
    private static final long BYTES = 16 << 10;
    private static final RivalSides NOBODY = RivalSides.none("nobody is here");

    private static void check(Suite suite, int least) {
        List<Row> rows = EmulatedBench.run(suite, BYTES);
        List<Row> ours = rows.stream().filter(row -> row.side().equals(Row.OURS)).toList();
        List<Row> others = rows.stream().filter(row -> !row.side().equals(Row.OURS)).toList();
        assertTrue(ours.stream().filter(row -> row.figure() != null).count() >= least, ours::toString);
        for (Row row : ours) {
            assertTrue(row.verdict() == Verdict.NOT_RUN ? row.note().contains("choose a larger size") : row.figure().median() > 0,
                    row::toString);
        }
        others.forEach(row -> assertTrue(row.verdict() == Verdict.NOT_RUN && row.note().contains("nobody is here"),
                row::toString));
        assertEquals(ours.size(), ours.stream().map(Row::key).distinct().count());
        assertFalse(rows.stream().anyMatch(row -> !row.suite().equals(suite.name())));
    }

    @Test
    void strided() {
        check(new StridedSuite(), 6);
    }

    @Test
    void swizzle() {
        check(new SwizzleSuite(NOBODY, 1, 0), 15);
    }

    @Test
    void multicast() {
        // A broadcast of checks that find nothing; totals that were never added up are none.
        List<Row> rows = EmulatedBench.run(new MulticastSuite(NOBODY), BYTES);
        assertTrue(rows.stream().filter(row -> row.figure() != null).count() >= 20, rows::toString);
    }

    @Test
    void reduce() {
        List<Row> rows = EmulatedBench.run(new ReduceSuite(NOBODY), BYTES);
        assertTrue(rows.stream().filter(row -> row.figure() != null).count() >= 14, rows::toString);
    }

    @Test
    void compute() {
        check(new ComputeSuite(NOBODY, 128, 128), 11);
    }
}
