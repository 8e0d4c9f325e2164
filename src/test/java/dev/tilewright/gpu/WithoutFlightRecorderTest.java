package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.host.OtherJava;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The runtime in a Java that lacks module jdk.jfr, in one that has it and does not record, and in one that does. */
class WithoutFlightRecorderTest {

    @Test
    void theRuntimeNeedsNoFlightRecorder() throws Exception {
        assertEquals("jdk.jfr false, watched false, result 0.0", last(run("--limit-modules", "java.base,java.xml")));
    }

    @Test
    void nothingOfFlightRecorderIsLoadedWhileNobodyRecords() throws Exception {
        String output = run("-Xlog:class+load:file=/dev/stdout");
        assertTrue(output.contains("jdk.jfr true, watched false, result 0.0"), output);
        assertTrue(output.contains("dev.tilewright.gpu.trace.Trace "), "the log names classes");
        assertTrue(!output.contains("jdk.jfr.internal.PlatformRecorder ") && !output.contains("trace.LaunchEvent "),
                "Flight Recorder was started");
    }

    @Test
    void aRecordingFromTheCommandLineIsSeen() throws Exception {
        String output = run("-XX:StartFlightRecording:settings=default");
        assertTrue(output.contains("jdk.jfr true, watched true, result 0.0"), output);
    }

    private static String last(String output) {
        return output.lines().reduce("", (_, line) -> line);
    }

    private static String run(String... options) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "--enable-native-access=ALL-UNNAMED"));
        command.addAll(OtherJava.BRIEF);
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), WatchedProgram.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(3, TimeUnit.MINUTES), "the program does not end");
        assertEquals(0, process.exitValue(), output);
        return output;
    }
}
