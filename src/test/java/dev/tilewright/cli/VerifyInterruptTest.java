package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.host.OtherJava;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ctrl-C while {@code verify} runs: a terminal sends SIGINT to the command, its workers and its compiler alike, so that
 * each of them may be the first to end.
 */
class VerifyInterruptTest {
    @TempDir
    Path folder;

    private Process process;

    @BeforeEach
    void withProcessGroups() {
        assumeTrue(Devices.probe().list().isEmpty(), "this machine has a GPU");
        assumeTrue(Files.isExecutable(Path.of("/bin/kill")) && Files.isExecutable(Path.of("/usr/bin/setsid")),
                "no kill or no setsid");
    }

    @AfterEach
    void endAll() {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Path report() {
        return folder.resolve("report.xml");
    }

    /** In a process group of its own, with a cache that has no kernel. */
    private void start(String... options) throws IOException {
        List<String> line = new ArrayList<>(List.of("/usr/bin/setsid"));
        List<String> flags = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
        flags.addAll(OtherJava.withThisNvrtc());
        line.addAll(OtherJava.command(flags, Main.class, "verify", "--junit-xml", report().toString()));
        line.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().put("TILEWRIGHT_CACHE", folder.resolve("cache").toString());
        process = builder.start();
    }

    /** As a terminal does it; then what is left of it must be as it is promised. @param cases whether some had ended */
    private void interrupt(String cases) throws Exception {
        List<ProcessHandle> started = process.descendants().toList();
        Signals.interrupt(-process.pid());
        try (BufferedReader out = process.inputReader(); BufferedReader err = process.errorReader()) {
            assertTrue(process.waitFor(2, TimeUnit.MINUTES), "it does not end");
            assertEquals(Signals.exitCode(), process.exitValue());
            List<String> lines = out.lines().toList();
            assertTrue(lines.getLast().matches(cases), lines::toString);
            List<String> notes = err.lines().toList();
            assertTrue(notes.stream().noneMatch(note -> note.contains("FAILED")), notes::toString);
            assertTrue(notes.getLast()
                    .matches("tilewright: interrupted: \\d+ cases? had ended; the results are in .*report\\.xml"),
                    notes::toString);
        }
        for (ProcessHandle child : started) {
            child.onExit().get(2, TimeUnit.MINUTES);
        }
        String text = Files.readString(report());
        assertTrue(text.endsWith("</testsuites>\n"), text);
        assertTrue(!text.contains("<testsuite ") || text.contains("<property name=\"complete\" value=\"false\"/>"),
                text);
        assertFalse(text.contains("<failure"), text);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.map(f -> f.getFileName().toString())
                    .filter(n -> !n.equals("report.xml") && !n.equals("cache"))
                    .toList());
        }
    }

    @Test
    void casesThatHaveEndedAreReported() throws Exception {
        start("--executor", "reference", "--kinds", "copy", "--presets", "vector-copy", "--time", "1h",
                "--workers", "" + Thorough.of(1, 2));
        assertEquals("tilewright: verifying ...", process.errorReader().readLine());
        assertFalse(process.descendants().toList().isEmpty(), "workers are processes");
        interrupt("cases [1-9]\\d* passed [1-9]\\d* failed 0 skipped \\d+");
    }

    /** Eighty kernels take longer to compile than an interrupted process is given. */
    @Test
    void compilingIsGivenUp() throws Exception {
        try {
            Nvrtc.find(Progress.NONE);
        } catch (MissingRequirementException e) {
            abort(e.getMessage());
        }
        start("--presets", "tensor*", "--cases", "8");
        Path kernels = folder.resolve("cache/tilewright/kernels");
        while (process.isAlive() && count(kernels) < 3) {
            Thread.sleep(50);
        }
        interrupt("cases \\d+ passed \\d+ failed 0 skipped \\d+");
    }

    private static long count(Path kernels) throws IOException {
        if (!Files.isDirectory(kernels)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(kernels)) {
            return files.filter(Files::isRegularFile).count();
        } catch (UncheckedIOException e) {
            // A file was renamed while it was looked at.
            return 0;
        }
    }
}
