package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.host.OtherJava;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code doctor} on this machine, where it has no GPU. */
class DoctorCommandTest {

    @BeforeEach
    void withoutAGpu() {
        assumeTrue(Devices.probe().list().isEmpty(), "this machine has a GPU");
    }

    /** The document says what the lines say. */
    @Test
    void linesAndDocument() throws IOException {
        PipedCommand command = PipedCommand.run("", "doctor");
        assertEquals(0, command.code(), command.err());
        JsonNode document = new ObjectMapper().readTree(PipedCommand.run("", "doctor", "--json").out());
        assertEquals("tilewright doctor 1", document.get("format").asText());
        List<String> lines = new ArrayList<>();
        for (JsonNode f : document.get("findings")) {
            String remedy = f.get("remedy").asText();
            lines.add(String.format("%-9s %-6s %s%s", f.get("subject").asText(), f.get("verdict").asText(),
                    f.get("fact").asText(), remedy.isEmpty() ? "" : " -> " + remedy));
        }
        lines.add(document.get("summary").asText());
        assertTrue(lines.getLast().contains("; launches none on a GPU: " + Devices.probe().why()), lines::getLast);
        // What other tests compile meanwhile is counted.
        assertEquals(withoutCounts(lines), withoutCounts(command.lines()));
        assertTrue(lines.getFirst().startsWith("jdk       ok     " + System.getProperty("java.version") + " "),
                lines::toString);
        for (String subject : List.of("driver ", "gpu ", "encoder ", "nvrtc ", "nvcc ", "cache ")) {
            assertTrue(lines.stream().anyMatch(l -> l.startsWith(subject)), subject);
        }
        assertEquals(System.getProperty("java.home"), document.at("/machine/java/home").asText());
        assertEquals(0, document.at("/machine/gpus").size());
    }

    private static List<String> withoutCounts(List<String> lines) {
        return lines.stream().map(l -> l.startsWith("cache") ? l.replaceAll(" [0-9.]+", " n")
                .replaceAll("bytes|KiB|MiB", "b") : l).toList();
    }

    @Test
    void needs() throws IOException {
        PipedCommand met = PipedCommand.run("", "doctor", "--need", "jdk=25");
        assertEquals(0, met.code(), met.err());
        assertEquals("", met.err());
        PipedCommand unmet = PipedCommand.run("", "doctor", "--json", "--need", "sm_90", "--need=2-gpus", "--need",
                "jdk=25");
        assertEquals(3, unmet.code());
        assertEquals("tilewright: sm_90 and 2-gpus are needed, and there is no GPU: " + Devices.probe().why() + "\n",
                unmet.err());
        JsonNode needs = new ObjectMapper().readTree(unmet.out()).get("needs");
        assertEquals("[sm_90 false, 2-gpus false, jdk=25 true]", needs.findValuesAsText("need").toString()
                .replace("sm_90", "sm_90 " + needs.get(0).get("met"))
                .replace("2-gpus", "2-gpus " + needs.get(1).get("met"))
                .replace("jdk=25", "jdk=25 " + needs.get(2).get("met")));
        assertTrue(PipedCommand.run("", "doctor", "--need", "sm90").refusal()
                .startsWith("tilewright: --need sm90 is nothing that can be"
                + " needed: write gpu, 2-gpus, sm_90, "));
        assertTrue(PipedCommand.run("", "doctor", "--need").refusal()
                .startsWith("tilewright: Missing required parameter for option '--need'"));
    }

    /** This Java may call native code; the other may not. */
    @Test
    void aJavaWithoutNativeAccess() throws Exception {
        String denied = said("--illegal-native-access=deny");
        assertTrue(denied.contains("\nnative    broken this Java may not call native code: no driver is reached, and "
                + "NVRTC in a process of its own alone -> add"
                + " --enable-native-access=ALL-UNNAMED to the java command\n"), denied);
        // As this Java may.
        String enabled = PipedCommand.run("", "doctor").out();
        assertTrue(!enabled.contains("\nnative "), enabled);
    }

    private static String said(String flag) throws Exception {
        List<String> flags = new ArrayList<>(List.of(flag));
        flags.addAll(OtherJava.withThisNvrtc());
        Process process = OtherJava.start(flags, Main.class, "doctor");
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(3, TimeUnit.MINUTES) && process.exitValue() == 0, output);
        return output;
    }
}
