package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.Thorough;
import dev.tilewright.gpu.device.Devices;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/** {@code verify} where there is no GPU. Compiling needs the embedded NVRTC. */
@Order(9)
class VerifyCommandTest {
    private static final Pattern LAST = Pattern.compile("cases (\\d+) passed (\\d+) failed (\\d+) skipped (\\d+)");

    @TempDir
    Path folder;

    @BeforeEach
    void withoutAGpu() {
        assumeTrue(Devices.probe().list().isEmpty(), "this machine has a GPU");
    }

    /** Skips where NVRTC cannot be fetched. */
    private static PipedCommand verify(String... options) {
        PipedCommand command = PipedCommand.run("", options);
        assumeTrue(command.code() != 3, command.err());
        return command;
    }

    @Test
    void everythingThatNeedsNoGpuIsChecked() throws Exception {
        Path report = folder.resolve("none/yet/report.xml");
        PipedCommand command = verify("verify", "--cases", "5", "--presets", "bulk*", "--workers",
                "" + Thorough.of(1, 2), "--junit-xml", report.toString());
        assertEquals(0, command.code(), command.err());
        List<String> lines = command.lines();
        Matcher last = LAST.matcher(lines.getLast());
        assertTrue(last.matches(), lines.getLast());
        int all = Integer.parseInt(last.group(1));
        assertEquals(0, Integer.parseInt(last.group(3)));
        assertEquals(all, Integer.parseInt(last.group(2)) + Integer.parseInt(last.group(4)));
        // Three presets for the eight targets from sm_90 on.
        assertTrue(lines.getFirst().matches("compile +passed 24 failed 0 skipped 0"), lines.getFirst());
        assertTrue(lines.get(1).matches("reference +passed 5 failed 0 skipped 0"), lines.get(1));
        assertTrue(lines.get(2).matches("gpu +passed 0 failed 0 skipped 5: no GPU: .+"), lines.get(2));
        assertTrue(lines.get(3)
                .matches("time +5 cases of [1-5] kernels? in .+ s, [0-9]+ cases? a second; ms of a case: .+"),
                lines.get(3));

        Element suites = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile())
                .getDocumentElement();
        assertEquals("0", suites.getAttribute("failures"));
        assertEquals(suites.getAttribute("tests"), "" + suites.getElementsByTagName("testcase").getLength());
        assertEquals(List.of("tilewright.verify.compile", "tilewright.verify.reference", "tilewright.verify.gpu"),
                IntStream.range(0, 3).mapToObj(i -> ((Element) suites.getElementsByTagName("testsuite").item(i))
                .getAttribute("name")).toList());
        assertEquals(List.of("report.xml"), new NpyFiles(report.getParent()).names());
    }

    @Test
    void theSameSeedGivesTheSameReport() throws Exception {
        String[] line = {"verify", "--cases", "3", "--presets", "bulk-copy", "--seed", "9", "--executor", "reference",
            "--workers", "" + Thorough.of(1, 2), "--json"};
        PipedCommand command = verify(line);
        JsonNode report = new ObjectMapper().readTree(command.out());
        assertEquals(9, report.get("seed").asInt());
        assertEquals("{\"passed\":3,\"failed\":0,\"skipped\":0}", report.get("reference").toString());
        List<String> names = new ArrayList<>();
        report.fieldNames().forEachRemaining(names::add);
        assertEquals(List.of("seed", "cases", "failures"), names.stream()
                .filter(n -> List.of("seed", "cases", "failures").contains(n)).toList());
        assertEquals("seed", names.getFirst());
        assertEquals("failures", names.getLast());
        assertEquals("[]", report.get("failures").toString());
        assertEquals(command.out(), verify(line).out());
    }

    @Test
    void whatIsRefused() {
        refused("--cases must be at least 0, got -1", "--cases", "-1");
        refused("no preset matches 'nothing*': see 'tilewright list'", "--presets", "nothing*");
        refused("--presets takes a pattern such as 'tensor-*', got '['", "--presets", "[");
        refused("cannot write /dev/null/report.xml: the folder /dev/null cannot be made: there is a file /dev/null "
                + "already", "--junit-xml", "/dev/null/report.xml");
        refused("Invalid value for option '--seed': 'x' is not a whole number (see 'tilewright verify --help')",
                "--seed", "x");
    }

    @Test
    void whatIsRefusedOfARun() {
        refused("--gpus takes all, or numbers such as 0,1, got '0;1'", "--gpus", "0;1");
        refused("a shard is N/M with N from 1 to M, such as 2/8, got 9/8", "--shard", "9/8");
        refused("a shard is N/M with N from 1 to M, such as 2/8, got 0/8", "--shard", "0/8");
        refused("a shard is N/M with N from 1 to M, such as 2/8, got '2'", "--shard", "2");
        refused("--time takes 1s to 24 hours, such as 30s or 5m, got '0'", "--time", "0");
        refused("--case-limit takes 1s to 24 hours, such as 30s or 5m, got 'soon'", "--case-limit", "soon");
        refused("--workers must be from 1 to 256, got 0", "--workers", "0");
        refused("--plant takes hang@N or fault@N, such as hang@137, got 'hang'", "--plant", "hang");
        refused("there is no case 201 to plant anything at: there are 200", "--plant", "fault@201");
        refused("no kind of cases matches 'x*': there are copy", "--kinds", "x*");
        refused("--kinds takes a pattern such as 'copy*', got '['", "--kinds", "[");
        refused("'nothing' is no case: there is no kind 'nothing', there are ", "--case", "nothing");
        assertEquals("tilewright: --case runs one case, and takes none of --cases, --time, --shard and --plant",
                PipedCommand.run("", "verify", "--case", "planted what=hang", "--cases", "2").refusal());
        assertEquals(3, PipedCommand.run("", "verify", "--executor", "gpu").code());
    }

    /** Among others that pass, in the order of their numbers, two fail; each names the line that makes it again. */
    @Test
    void whatIsPlantedFailsAndNothingElse() throws Exception {
        Path report = folder.resolve("report.xml");
        PipedCommand command = verify("verify", "--presets", "vector-copy", "--cases", "24", "--plant", "hang@7",
                "--plant", "fault@22", "--case-limit", "1s", "--executor", "reference", "--shard", "1/1", "--time",
                "10m", "--junit-xml", report.toString());
        assertEquals(1, command.code(), command.err());
        assertEquals("cases 24 passed 22 failed 2 skipped 0", command.lines().getLast());
        assertTrue(command.out().contains("again      tilewright verify --case 'planted what=hang'\n")
                && command.out().contains("again      tilewright verify --case 'planted what=fault'\n"), command.out());
        assertTrue(command.err().contains("FAILED reference: planted what=hang: time limit: it had not ended after ")
                && command.err().contains("FAILED reference: planted what=fault: its worker ended with exit code 70"),
                command.err());
        Element suites = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile())
                .getDocumentElement();
        assertEquals("2", suites.getAttribute("failures"));
        assertEquals("3", suites.getAttribute("tests"));
    }

    @Test
    void aShardWithoutCasesSaysSo() {
        PipedCommand command = verify("verify", "--executor", "reference", "--cases", "3", "--shard", "2/2");
        assertEquals(0, command.code(), command.err());
        assertEquals("tilewright: shard 2/2 has no cases: they are drawn 8 together, and there are too few\n",
                command.err());
        assertEquals("cases 0 passed 0 failed 0 skipped 0", command.lines().getLast());
    }

    @Test
    void oneCaseIsRunAgain() {
        PipedCommand command =
                verify("verify", "--case", "copy preset=bulk-copy type=f32 shape=3x16 tiles=1 scalar=0 seed=1");
        assertEquals(0, command.code(), command.err());
        assertEquals("cases 1 passed 1 failed 0 skipped 0", command.lines().getLast());
    }

    private static void refused(String message, String option, String value) {
        String refusal = PipedCommand.run("", "verify", option, value).refusal();
        assertTrue(refusal.startsWith("tilewright: " + message), refusal);
    }
}
