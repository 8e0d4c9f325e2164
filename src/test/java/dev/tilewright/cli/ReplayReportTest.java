package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What {@code replay --junit-xml} writes. */
class ReplayReportTest {
    private static final Path ENCODE = Path.of(System.getProperty("tilewright.root", "."),
            "native-tests/recordings/sm_90/encode.jsonl.gz");

    @TempDir
    Path folder;

    private Path report() {
        return folder.resolve("replay.xml");
    }

    private PipedCommand replay(Path... files) {
        List<String> line = new java.util.ArrayList<>(List.of("replay", "--junit-xml", report().toString()));
        List.of(files).forEach(file -> line.add(file.toString()));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    private Element suite() throws Exception {
        return (Element) DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report().toFile())
                .getDocumentElement()
                .getElementsByTagName("testsuite").item(0);
    }

    private static String child(Element of, String name) {
        NodeList all = of.getElementsByTagName(name);
        return all.getLength() == 0 ? "" : all.item(0).getTextContent();
    }

    @Test
    void eachKindIsATestCase() throws Exception {
        PipedCommand command = replay(ENCODE);
        assertEquals(0, command.code(), command.err());
        Element suite = suite();
        assertEquals("tilewright.replay", suite.getAttribute("name"));
        assertEquals("0", suite.getAttribute("failures"));
        NodeList cases = suite.getElementsByTagName("testcase");
        assertEquals(2, cases.getLength());
        assertEquals("encode im2col", ((Element) cases.item(0)).getAttribute("name"));
        // As many as the command counts.
        String counted = command.lines().getFirst();
        assertTrue(counted.matches("encode im2col +replayed (\\d+) agreed \\1 disagreed 0"), counted);
        assertEquals(counted.replaceAll(".* agreed (\\d+) .*", "$1") + " passed, 0 failed, 0 skipped",
                child((Element) cases.item(0), "system-out"));
    }

    @Test
    void rowsThatDisagreeAreNamedAndTheOthersCounted() throws Exception {
        String good = Files.readAllLines(plain()).stream().filter(l -> l.contains("\"result\":0,")).findFirst()
                .orElseThrow();
        String bad = good.replace("\"result\":0", "\"result\":1");
        Path file = Files.writeString(folder.resolve("a.jsonl"),
                good + "\n" + String.join("\n", Collections.nCopies(25, bad))
                + "\n{\"kind\":\"dance\",\"mode\":\"tile\"}\n");
        PipedCommand command = replay(file);
        assertEquals(1, command.code(), command.err());
        Element suite = suite();
        assertEquals("21", suite.getAttribute("failures"));
        assertEquals("1", suite.getAttribute("skipped"));
        NodeList failures = suite.getElementsByTagName("failure");
        assertTrue(((Element) failures.item(0)).getAttribute("message").endsWith("5 more failed, and are not listed"));
        Element first = (Element) failures.item(1).getParentNode();
        assertEquals(file + ":2", first.getAttribute("name"));
        assertEquals("refused by the driver, accepted by pure Java", child(first, "failure"));
    }

    @Test
    void whatIsRefusedLeavesNoReport() throws Exception {
        Path file = Files.writeString(folder.resolve("a.jsonl"), "no row\n");
        assertTrue(replay(file).refusal().contains(file + ":1"));
        assertFalse(Files.exists(report()));
        Path nowhere = file.resolve("replay.xml");
        assertTrue(PipedCommand.run("", "replay", ENCODE.toString(), "--junit-xml", nowhere.toString()).refusal()
                .startsWith("tilewright: cannot write " + nowhere));
    }

    private Path plain() throws Exception {
        Path plain = folder.resolve("encode.jsonl");
        try (var in = new java.util.zip.GZIPInputStream(Files.newInputStream(ENCODE))) {
            Files.copy(in, plain);
        }
        return plain;
    }
}
