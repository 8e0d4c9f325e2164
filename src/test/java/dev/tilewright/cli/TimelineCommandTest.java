package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.commons.lang3.StringUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

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
        assertEquals("wait", wait.get("action").asText());
        assertEquals("full[0] phase 0", wait.get("place").asText());
        assertEquals("[6,7]", wait.get("waitsFor").toString());
        assertEquals("load", document.at("/rows/6/action").asText());
        assertTrue(document.at("/leftOut/rows").asInt() > 50, command.out());
    }

    /** Each box, arrow, event and flow is one of the table's. */
    @Test
    void theDrawingAndTheTrace() throws Exception {
        String[] line = "timeline tensor-scale --roles specialised --stages 2 --rows 30".split(" ");
        JsonNode table = new ObjectMapper().readTree(run(line, "--json").out());
        int boxes = 0;
        int arrows = 0;
        for (JsonNode row : table.get("rows")) {
            boxes += row.get("roles").size();
            arrows += row.get("waitsFor").size();
        }
        assertTrue(arrows > 5, table.toString());
        String svg = run(line, "--format", "svg").out();
        assertEquals(boxes, count(svg, "</title></rect>"));
        assertEquals(arrows, count(svg, "marker-end=\"url(#head)\""));
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        String html = run(line, "--format", "html").out();
        assertTrue(html.startsWith("<!doctype html>") && html.contains(svg)
                && html.contains("wait full[0] phase 0 &lt;-") && html.contains("prefers-color-scheme: dark"), html);
        JsonNode trace = new ObjectMapper().readTree(run(line, "--format", "perfetto").out());
        Map<String, Integer> phases = new TreeMap<>();
        Map<Integer, Double> begun = new TreeMap<>();
        for (JsonNode event : trace.get("traceEvents")) {
            phases.merge(event.get("ph").asText(), 1, Integer::sum);
            if (event.get("ph").asText().equals("s")) {
                begun.put(event.get("id").asInt(), event.get("ts").asDouble());
            } else if (event.get("ph").asText().equals("f")) {
                assertTrue(begun.get(event.get("id").asInt()) < event.get("ts").asDouble(), event::toString);
            }
        }
        assertEquals(Map.of("M", 1 + table.get("roles").size(), "X", boxes, "s", arrows, "f", arrows), phases);
    }

    private static PipedCommand run(String[] line, String... more) {
        PipedCommand command = PipedCommand.run("", Stream.of(line, more).flatMap(Stream::of).toArray(String[]::new));
        assertEquals(0, command.code(), command.err());
        return command;
    }

    private static int count(String text, String part) {
        return StringUtils.countMatches(text, part);
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
        assertEquals("tilewright: give --json or --format, not both: got --json and --format SVG",
                PipedCommand.run("", "timeline", "bulk-copy", "--json", "--format", "svg").refusal());
        assertTrue(PipedCommand.run("", "timeline").refusal().startsWith("tilewright: name a preset"));
        assertTrue(PipedCommand.run("", "timeline", "bulk-cpy").refusal().contains("did you mean 'bulk-copy'?"));
        assertEquals("tilewright: --memory belongs to --program, and there is none",
                PipedCommand.run("", "timeline", "bulk-copy", "--memory", "m").refusal());
    }
}
