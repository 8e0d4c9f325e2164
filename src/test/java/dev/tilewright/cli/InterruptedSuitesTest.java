package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.bench.report.JsonReport;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.host.OtherJava;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ctrl-C while a suite of the CPU takes turns: what these have given is in the reports, and says that it is a part; the
 * next suite does not begin.
 */
@Order(18)
class InterruptedSuitesTest {
    private static final List<String> PRESETS = List.of("bulk-copy", "tensor-copy");

    @TempDir
    Path folder;

    /** The command as on a terminal, which shows how far it is, with few presets. */
    static final class OnTerminal {

        private OnTerminal() { }

        /** @param args words of the command */
        public static void main(String[] args) {
            System.exit(Main.run(args, System.in, System.out, System.err, true,
                    () -> new PresetCatalog(PRESETS.stream().map(Presets::named).toList())));
        }
    }

    /** Reads until that matches. */
    private static void await(InputStream stream, Pattern awaited) throws IOException {
        StringBuilder text = new StringBuilder();
        while (!awaited.matcher(text).find()) {
            int next = stream.read();
            assertTrue(next >= 0, () -> "it ended before it got there: " + text);
            text.append((char) next);
        }
    }

    /** What only computes; in a thorough run what is verified, too, of short turns and of long ones. */
    static Stream<Arguments> suites() {
        return Stream.of(Arguments.of("emit", "emitting presets", 200), Arguments.of("check", "checking presets", 7),
                Arguments.of("encode", "encoding tensor maps", 200),
                Arguments.of("reference", "running copies in the reference", 200)).limit(Thorough.of(1, 4));
    }

    @ParameterizedTest
    @MethodSource("suites")
    void rowsOfTheTurnsSoFarAreInTheReport(String suite, String work, int turns) throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/kill")), "no /bin/kill");
        Path json = folder.resolve("r.json");
        Path html = folder.resolve("r.html");
        Path out = folder.resolve("out");
        String next = suite.equals("emit") ? "check" : "emit";
        Process process = new ProcessBuilder(OtherJava.command(List.of("--enable-native-access=ALL-UNNAMED"),
                OnTerminal.class, "bench", suite, next, "--no-rivals", "--sizes", "1", "--turns", "" + turns,
                "--warm-up", "0", "--json", json.toString(), "--html", html.toString())).redirectOutput(out.toFile())
                .start();
        try (InputStream err = process.getErrorStream()) {
            await(err, Pattern.compile(Pattern.quote(work) + " \\[[#.]*] [1-9]"));
            Signals.interrupt(process.pid());
            err.transferTo(System.err);
            assertTrue(process.waitFor(3, TimeUnit.MINUTES), "it does not end");
            assertEquals(Signals.exitCode(), process.exitValue());
        } finally {
            process.destroyForcibly();
        }
        Report report = interrupted(suite, json, html, out);
        List<Row> ours = report.rows().stream().filter(row -> row.figure() != null && row.side().equals(Row.OURS))
                .toList();
        assertFalse(ours.isEmpty(), report::toString);
        List<Row> partial = ours.stream().filter(row -> row.figure().samples() < turns).toList();
        // Between two presets there is no turn to interrupt.
        assertTrue(!partial.isEmpty() || ours.size() < PRESETS.size(), () -> "it was over before: " + report);
        for (Row row : partial) {
            assertEquals(suite, row.suite());
            assertTrue(row.note().startsWith("partial: interrupted after " + row.figure()
                    .samples() + " of " + turns + " turns"), row::toString);
            assertEquals(suite.equals("emit") ? Verdict.NO_OUTPUT : Verdict.VERIFIED, row.verdict());
        }
        String shown = Files.readString(out, StandardCharsets.UTF_8);
        for (Row row : ours) {
            assertTrue(shown.contains(row.note()) && shown.contains(row.subject()), shown);
        }
        assertTrue(shown.endsWith("; interrupted\n"), shown);
    }

    /** Nothing shows how far it is, so that its first row, of all presets, is waited for. */
    @Test
    void rowsSoFarAreInTheReportWithoutATerminal() throws Exception {
        Assumptions.assumeTrue(Thorough.of(0, 1) == 1, "only in a thorough run");
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/kill")), "no /bin/kill");
        Path json = folder.resolve("r.json");
        Path html = folder.resolve("r.html");
        Process process = new ProcessBuilder(OtherJava.command(List.of("--enable-native-access=ALL-UNNAMED"),
                Main.class, "bench", "check", "emit", "--warm-up", "0", "--json", json.toString(), "--html",
                html.toString())).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (InputStream out = process.getInputStream()) {
            await(out, Pattern.compile("(?m)^  .*MB/s.*\n"));
            Signals.interrupt(process.pid());
            String rest = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(3, TimeUnit.MINUTES), "it does not end");
            assertEquals(Signals.exitCode(), process.exitValue());
            assertTrue(rest.endsWith("; interrupted\n"), rest);
        } finally {
            process.destroyForcibly();
        }
        assertFalse(interrupted("check", json, html).rows().isEmpty(), "no row");
    }

    /** The report, which says that it was interrupted and has rows of that suite alone; no other file is left. */
    private Report interrupted(String suite, Path json, Path html, Path... others) throws IOException {
        Report report = JsonReport.read(json);
        assertFalse(report.complete());
        assertTrue(report.rows().stream().allMatch(row -> row.suite().equals(suite)), report::toString);
        String page = Files.readString(html);
        assertTrue(page.contains("This run was interrupted") && page.endsWith("</html>\n"));
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(Stream.concat(Stream.of(json, html), Stream.of(others)).collect(Collectors.toSet()),
                    left.collect(Collectors.toSet()), "something is left behind");
        }
        return report;
    }
}
