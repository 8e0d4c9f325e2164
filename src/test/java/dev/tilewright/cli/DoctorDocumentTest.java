package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.cli.terminal.Json;
import dev.tilewright.doctor.DoctorReport;
import dev.tilewright.doctor.examination.Grade;
import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.JavaFacts.NativeAccess;
import dev.tilewright.doctor.machine.Libcuda;
import dev.tilewright.doctor.machine.Machines;
import dev.tilewright.doctor.machine.ManagedGpu.MigInstance;
import dev.tilewright.doctor.machine.NvrtcFacts;
import dev.tilewright.doctor.need.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The document that {@code doctor --json} prints has the fields that docs/doctor.md says, of the types that it says.
 */
class DoctorDocumentTest {
    private static final Path PAGE = Path.of(System.getProperty("tilewright.root", "."), "docs", "doctor.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-zA-Z.\\[\\]]+)` \\| (string|number|true or false|names and strings) \\|",
            Pattern.MULTILINE);

    /** A machine of which no list is empty. */
    private static JsonNode document() throws IOException {
        Machines m = new Machines();
        m.settings.put("CUDA_HOME", "/usr/local/cuda");
        m.libcuda = new Libcuda(true, "", Machines.LIBCUDA, List.of("/usr/local/cuda/lib64/stubs/libcuda.so"), "13.0",
                0, "");
        m.managed = List.of(Machines.managed(ComputeMode.EXCLUSIVE_PROCESS, "on", "on", "on",
                List.of(new MigInstance("1g.10gb", "MIG-1", 1L << 33))));
        m.nvrtc = Machines.nvrtc("13.0", List.of(new NvrtcFacts.Copy("/opt/libnvrtc.so", "CUDA_PATH", "12.9")),
                List.of("it does not load"));
        return new ObjectMapper()
                .readTree(Json.document(DoctorReport.of(m.build(), Needs.parse(List.of("sm_90", "3-gpus")))));
    }

    /** Paths of all values, {@code []} for each element of an array, with their types. */
    private static void flatten(String path, JsonNode node, Map<String, String> into) {
        if (path.equals("machine.settings")) {
            into.put(path, "names and strings");
        } else if (node.isObject()) {
            node.properties()
                    .forEach(e -> flatten(path.isEmpty() ? e.getKey() : path + "." + e.getKey(), e.getValue(), into));
        } else if (node.isArray()) {
            assertTrue(!node.isEmpty(), path + " is empty, and its elements' fields are not seen");
            node.forEach(element -> flatten(path + "[]", element, into));
        } else {
            into.put(path, node.isNumber() ? "number" : node.isBoolean() ? "true or false" : "string");
        }
    }

    @Test
    void fields() throws IOException {
        Map<String, String> written = new TreeMap<>();
        ROW.matcher(Files.readString(PAGE)).results()
                .forEach(r -> assertEquals(null, written.put(r.group(1), r.group(2)), r.group(1)));
        Map<String, String> real = new TreeMap<>();
        flatten("", document(), real);
        assertEquals(String.join("\n", real.entrySet().stream().map(Object::toString).toList()),
                String.join("\n", written.entrySet().stream().map(Object::toString).toList()));
    }

    /** The page names every word that a verdict or a mode can be, and every need. */
    @Test
    void words() throws IOException {
        String page = Files.readString(PAGE);
        for (Object word : List.of(Grade.OK, Grade.NOTE, Grade.LACK, Grade.BROKEN, NativeAccess.ENABLED,
                NativeAccess.WARNED, NativeAccess.DENIED, ComputeMode.DEFAULT, ComputeMode.EXCLUSIVE_PROCESS,
                ComputeMode.PROHIBITED)) {
            assertTrue(page.contains("`" + word + "`"), word + " is not on the page");
        }
        List<String> needs = Pattern.compile("^\\| `--need ([^ `]+)`", Pattern.MULTILINE).matcher(page).results()
                .map(r -> r.group(1)).toList();
        assertTrue(needs.size() >= 10, needs::toString);
        Needs.parse(needs);
    }
}
