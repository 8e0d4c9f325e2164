package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.ptx.Target;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** {@link GraphChecks} and {@link CaptureStress}, in processes of their own. */
@Tag("gpu")
class GraphGpuTest {

    @Test
    void graphsAndFuturesWork() throws Exception {
        String output = run(List.of(), List.of());
        assertEquals(12, output.lines().filter(line -> line.startsWith("ok: ")).count(), output);
    }

    @Test
    void theyWorkWhileTheyAreWatched() throws Exception {
        String output = run(List.of("-Dtilewright.nvtx=true", "-XX:StartFlightRecording:settings=none"), List.of());
        assertEquals(12, output.lines().filter(line -> line.startsWith("ok: ")).count(), output);
    }

    @ResourceLock(TestGpu.FAULTS)
    @Test
    void aFaultFailsTheFutures() throws Exception {
        String output = run(List.of(), List.of("fault"));
        assertTrue(output.contains("ok: a fault fails the futures"), output);
    }

    /** Captures of some threads, and in others all that would spoil them. */
    @Test
    void capturesAreNotSpoiltByOtherThreads() throws Exception {
        String output = run(CaptureStress.class, List.of(), List.of());
        assertTrue(output.contains("ok: captures beside all else"), output);
    }

    private static String run(List<String> options, List<String> arguments) throws Exception {
        return run(GraphChecks.class, options, arguments);
    }

    private static String run(Class<?> main, List<String> options, List<String> arguments) throws Exception {
        TestGpu.atLeast(Target.SM_90);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "the process does not end");
        assertEquals(0, process.exitValue(), output);
        assertFalse(output.contains("FAILED"), output);
        return output;
    }
}
