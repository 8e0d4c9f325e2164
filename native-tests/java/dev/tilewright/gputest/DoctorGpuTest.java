package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.cli.Main;
import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.machine.ManagedGpu;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code doctor} says of a machine with a GPU: the facts that nvidia-smi gives too, and faults made by environment
 * variables.
 */
@Tag("gpu")
class DoctorGpuTest {
    private static final String QUERY = "--query-gpu=index,name,uuid,memory.total,compute_mode,persistence_mode,"
            + "ecc.mode.current,"
            + "mig.mode.current,driver_version,compute_cap";
    private static HostFacts machine;

    @TempDir
    Path folder;

    @BeforeAll
    static void look() {
        Devices devices = Devices.probe();
        assumeFalse(devices.list().isEmpty(), () -> "no GPU: " + devices.why());
        machine = HostFacts.look(HostEnvironment.current());
    }

    private static List<String> output(ProcessBuilder builder, int exitCode) throws IOException, InterruptedException {
        Process process = builder.start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
                .toList();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it hangs");
        assertEquals(exitCode, process.exitValue(), lines::toString);
        return lines;
    }

    private static String state(String word) {
        return switch (word) {
            case "Enabled" -> "on";
            case "Disabled" -> "off";
            default -> "n/a";
        };
    }

    @Test
    void whatNvidiaSmiSays() throws Exception {
        List<String> rows;
        try {
            rows = output(new ProcessBuilder("nvidia-smi", QUERY, "--format=csv,noheader,nounits"), 0);
        } catch (IOException e) {
            assumeFalse(true, "there is no nvidia-smi here");
            return;
        }
        List<String> seen = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (String row : rows) {
            String[] f = row.split(", ");
            expected.add(String.join(", ", f[0], f[1], f[2], f[3], f[4], state(f[5]), state(f[6]), state(f[7]), f[8]));
        }
        for (ManagedGpu g : machine.management().gpus()) {
            seen.add(String.join(", ", g.index() + "", g.name(), g.uuid(), (g.memory() >> 20) + "",
                    g.computeMode() + "", g.persistence(), g.ecc(), g.mig(), machine.management().driverVersion()));
        }
        assertEquals(expected, seen);
        for (CudaDevice gpu : machine.gpus()) {
            String row = rows.stream().filter(r -> r.contains("GPU-" + gpu.uuid())).findFirst()
                    .orElseThrow(() -> new AssertionError(gpu + " is none of " + rows));
            assertTrue(row.endsWith(", " + gpu.major() + "." + gpu.minor()) && row.contains(", " + gpu.name() + ", ")
                    && row.contains(", " + gpu.computeMode() + ", "), gpu + " is not " + row);
        }
        String module = machine.kernelModule().version();
        assertTrue(module.isEmpty() || module.equals(machine.management().driverVersion()), machine::toString);
        assertTrue(machine.libcuda().isStarted() && machine.libcuda().file().contains("libcuda.so"),
                machine.libcuda()::toString);
    }

    /** What another process says with these variables. */
    private static JsonNode doctor(Map<String, String> variables, int exitCode) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(OtherJava.command(List.of("--enable-native-access=ALL-UNNAMED"), Main.class,
                "doctor", "--json", "--need", "gpu"));
        builder.environment().putAll(variables);
        return new ObjectMapper().readTree(String.join("\n", output(builder, exitCode)));
    }

    private static JsonNode finding(JsonNode document, String subject) {
        for (JsonNode finding : document.get("findings")) {
            if (finding.get("subject").asText().equals(subject)) {
                return finding;
            }
        }
        throw new AssertionError("nothing is said of " + subject + ": " + document.get("findings").toPrettyString());
    }

    @Test
    void hiddenGpus() throws Exception {
        for (String value : List.of("", "-1", "99")) {
            JsonNode document = doctor(Map.of(HostFacts.VISIBLE_DEVICES, value), 3);
            assertEquals("broken", finding(document, "visible").get("verdict").asText(), document::toPrettyString);
            assertEquals(100, document.at("/machine/libcuda/startResult").asInt(), document::toPrettyString);
            assertTrue(finding(document, "cuInit").get("remedy").asText().contains(HostFacts.VISIBLE_DEVICES),
                    document::toPrettyString);
            assertTrue(document.at("/machine/management/gpus").size() > 0, document::toPrettyString);
        }
        JsonNode shown = doctor(Map.of(HostFacts.VISIBLE_DEVICES, "0,99"), 0);
        assertTrue(finding(shown, "visible").get("fact").asText().contains("CUDA shows 1"), shown::toPrettyString);
    }

    /** A toolkit's stub under the name that the driver's library has, found before it. */
    @Test
    void aStubInTheDriversPlace() throws Exception {
        assumeFalse(machine.libcuda().stubs().isEmpty(), "no toolkit with a stub is here");
        Path stub = Path.of(machine.libcuda().stubs().getFirst());
        Files.createSymbolicLink(folder.resolve("libcuda.so.1"), stub);
        JsonNode document = doctor(Map.of("LD_LIBRARY_PATH", folder.toString()), 3);
        JsonNode driver = finding(document, "driver");
        assertEquals("broken", driver.get("verdict").asText(), document::toPrettyString);
        assertTrue(driver.get("fact").asText().endsWith(" is a stub to link with, no driver"), driver::toPrettyString);
    }
}
