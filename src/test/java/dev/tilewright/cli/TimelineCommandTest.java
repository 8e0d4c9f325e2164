package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code timeline}: the table, the document and what is refused. */
class TimelineCommandTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern LISTING =
            Pattern.compile("scripts/tilewright (timeline [^\\n]*)\\n```\\n\\n```text\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    /** The listing of the guide is what its command prints. */
    @Test
    void theTable() throws IOException {
        Matcher listing = LISTING.matcher(Files.readString(ROOT.resolve("docs/kernels.md")));
        assertTrue(listing.find(), "the guide has no listing of timeline");
        PipedCommand command = PipedCommand.run("", listing.group(1).split(" "));
        assertEquals(0, command.code(), command.err());
        assertEquals(listing.group(2), command.out());
        assertEquals("", command.err());
    }

    @Test
    void theDocument() throws IOException {
        PipedCommand command = PipedCommand.run("", "timeline", "tensor-scale", "--roles", "specialised", "--stages",
                "2", "--rows", "8", "--json");
        assertEquals(0, command.code(), command.err());
        JsonNode document = new ObjectMapper().readTree(command.out());
        assertEquals("thread 0", document.at("/roles/0").asText());
        assertEquals(8, document.get("rows").size());
        JsonNode wait = document.at("/rows/7");
        assertEquals("wait", wait.get("deed").asText());
        assertEquals("full[0] phase 0", wait.get("place").asText());
        assertEquals("[6,7]", wait.get("waitsFor").toString());
        assertEquals("load", document.at("/rows/6/deed").asText());
        assertTrue(document.at("/leftOut/rows").asInt() > 50, command.out());
    }

    @Test
    void aKernelOfOnesOwn() {
        assertEquals(0, ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", System.getProperty("java.class.path"), "-proc:none",
                "-d", folder.toString(), ROOT.resolve("examples/own-kernel/Kernels.java").toString()));
        String[] own = {"timeline", "--class-path", folder.toString(), "--program"};
        for (List<String> more : List.of(List.of("my.Kernels#rectify"), List.of("my.Kernels#launch"),
                List.of("my.Kernels#launch", "--memory", "memory"))) {
            String[] line = Stream.concat(Stream.of(own), more.stream()).toArray(String[]::new);
            PipedCommand command = PipedCommand.run("", line);
            assertEquals(0, command.code(), command.toString());
            assertTrue(command.out().contains(" load ") && command.out().contains(" store "), command.out());
        }
        assertTrue(PipedCommand.run("", "timeline", "--class-path", folder.toString(), "--program",
                "my.Kernels#square").refusal().endsWith("name a member that gives a Launch"));
    }

    @Test
    void whatWillNotDo() {
        assertEquals("tilewright: --rows must be at least 1, got 0",
                PipedCommand.run("", "timeline", "bulk-copy", "--rows", "0").refusal());
        assertTrue(PipedCommand.run("", "timeline").refusal().startsWith("tilewright: name a preset"));
        assertTrue(PipedCommand.run("", "timeline", "bulk-cpy").refusal().contains("did you mean 'bulk-copy'?"));
        assertEquals("tilewright: --memory belongs to --program, and there is none",
                PipedCommand.run("", "timeline", "bulk-copy", "--memory", "m").refusal());
    }
}
