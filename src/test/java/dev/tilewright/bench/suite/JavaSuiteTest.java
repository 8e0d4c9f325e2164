package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.Progress;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.jmh.EmulatedCopyBenchmark;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JMH's benchmarks as rows, and what is said where there are none. */
class JavaSuiteTest {

    private static List<Row> rows(JavaSuite suite) {
        List<Row> rows = new ArrayList<>();
        try (Bench bench = new Bench(Settings.DEFAULT, "bench java", Progress.NONE, rows::add)) {
            bench.run(List.of(suite));
        }
        return rows;
    }

    @Test
    void withoutJmhTheRowSaysSo() throws Exception {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
            Row row = rows(new JavaSuite(empty, ".", Duration.ofMillis(10))).getFirst();
            assertEquals(Verdict.NOT_RUN, row.verdict());
            assertEquals("JMH is not on the class path: 'native-tests/bench java', in the sources, has them",
                    row.note());
        }
    }

    @Test
    void withoutBenchmarksTheRowSaysSo() throws Exception {
        URL jmh = org.openjdk.jmh.runner.Runner.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader alone = new URLClassLoader(new URL[] {jmh}, ClassLoader.getPlatformClassLoader())) {
            Row row = rows(new JavaSuite(alone, ".", Duration.ofMillis(10))).getFirst();
            assertEquals("no JMH benchmarks are on the class path: 'native-tests/bench java', in the sources, has "
                    + "them", row.note());
        }
    }

    /** Where the annotation processor has made JMH's part of the benchmarks, as Maven has it do. */
    @Test
    void aBenchmarkIsARow() {
        assumeTrue(getClass().getResource("/META-INF/BenchmarkList") != null, "JMH's annotation processor has not run");
        List<Row> rows =
                rows(new JavaSuite(getClass().getClassLoader(), EmulatedCopyBenchmark.class.getName(),
                Duration.ofMillis(30)));
        assertEquals(List.of("EmulatedCopyBenchmark.copies", "EmulatedCopyBenchmark.nothingTimed"),
                rows.stream().map(Row::subject).toList());
        for (Row row : rows) {
            assertEquals("java", row.suite());
            // JMH's default mode is of rates.
            assertEquals(Unit.PER_SECOND, row.unit());
            assertEquals(9, row.figure().samples());
            assertTrue(row.figure().median() > 1 && row.figure().median() < 1e8, row::toString);
        }
        assertEquals("there are no JMH benchmarks '^none$' on the class path",
                rows(new JavaSuite(getClass().getClassLoader(), "^none$", Duration.ofMillis(30))).getFirst().note());
    }
}
