package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Whether the log of the GPU tests is one of these sources. Sources may be ahead of it, since not everybody who changes
 * them has a GPU: the test is skipped then, and its reason says so.
 */
class GpuLogTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    @Test
    void theLogIsOfTheseSources() throws IOException, InterruptedException {
        List<String> states = Files.readAllLines(ROOT.resolve("native-tests/logs/gpu-tests.log")).stream()
                .filter(l -> l.startsWith("state: ")).toList();
        assertEquals(1, states.size(), "lines with the state in gpu-tests.log");
        Assumptions.assumeTrue(Files.exists(ROOT.resolve(".git")), "not in a Git repository");
        String sources = "state: " + run(ROOT.resolve("scripts/gpu-state").toString());
        Assumptions.assumeTrue(states.getFirst().equals(sources),
                () -> "native-tests/logs/gpu-tests.log is not of these sources: "
                + "it has '" + states.getFirst() + "', they have '" + sources + "'. Run the GPU tests again (see "
                + "CONTRIBUTING.md)");
    }

    private static String run(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes()).strip();
        assertTrue(process.waitFor(2, TimeUnit.MINUTES), command + " does not end");
        assertEquals(0, process.exitValue(), output);
        return output;
    }
}
