package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.cli.annotate.SourceLines;
import dev.tilewright.cli.terminal.Failure;
import dev.tilewright.cli.terminal.GitHubAnnotations;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.JUnitXml;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** {@code annotate}: the line of an assertion, and what becomes of reports that are none. */
class AnnotateCommandTest {
    private static final String PLACE = "src/test/java/application/TileTest.java";

    @TempDir
    Path folder;
    private Path sources;

    @BeforeEach
    void project() throws IOException {
        sources = folder.resolve("src/test/java");
        Files.createDirectories(sources.resolve("application"));
        Files.writeString(sources.resolve("application/TileTest.java"), "class TileTest { }\n");
    }

    /** As Surefire writes it: the assertion was made in a lambda of a nested class, below it JUnit and the library. */
    private Path report(String message) throws IOException {
        return Files.writeString(folder.resolve("TEST-application.TileTest.xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="application.TileTest" tests="3" errors="0" skipped="0" failures="1">
                  <properties><property name="java.version" value="25"/></properties>
                  <testcase name="passes" classname="application.TileTest" time="0.1"/>
                  <testcase name="tilesArrive(int)[2]" classname="application.TileTest$Wide" time="0.2">
                    <failure message="%s" type="org.opentest4j.AssertionFailedError">\
                <![CDATA[org.opentest4j.AssertionFailedError: no
                \tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:38)
                \tat dev.tilewright/dev.tilewright.junit.GpuAssertions.assertSame(GpuAssertions.java:171)
                \tat application.TileTest$Wide.lambda$tilesArrive$0(TileTest.java:42)
                \tat application.TileTest$Wide.tilesArrive(TileTest.java:7)
                ]]></failure>
                    <system-out><![CDATA[<failure> is a word]]></system-out>
                  </testcase>
                  <testcase name="isSkipped" classname="application.TileTest" time="0"><skipped message="no \
                GPU"/></testcase>
                </testsuite>
                """.formatted(message));
    }

    private PipedCommand annotate(String... args) {
        return PipedCommand.run("", Stream.concat(Stream.of("annotate", "--sources",
                sources.toString()), Arrays.stream(args)).toArray(String[]::new));
    }

    private String place() {
        return Path.of("").toAbsolutePath().relativize(folder.toAbsolutePath()) + "/" + PLACE;
    }

    @Test
    void gitHubShowsAFailureAtTheLineOfTheAssertion() throws IOException {
        PipedCommand result = annotate(report("a, b: 100% of&#10;4 &lt;elements&gt; differ[2J").toString());
        assertEquals(new PipedCommand(1, "::error file=" + place() + ",line=42,title=TileTest$Wide.tilesArrive(int)[2]"
                + "::a, b: 100%25 of%0A4 <elements> differ[2J\n", ""), result);
    }

    /**
     * What GitHub's runner makes of such a line: it splits properties at commas and at the first equals sign of each.
     */
    @Test
    void noNameEndsItsProperty() {
        String line =
                GitHubAnnotations.error(new Failure("a,line=1::x\r\ny", "z\n::error::forged", Optional.of("b:c,d%"),
                Optional.of(3)));
        assertEquals("::error file=b%3Ac%2Cd%25,line=3,title=a%2Cline=1%3A%3Ax%0Ay::z%0A::error::forged", line);
    }

    @Test
    void gitLabGetsACodeQualityReport() throws IOException {
        Path output = folder.resolve("quality.json");
        PipedCommand result = annotate("--format", "gitlab", "-o", output.toString(), report("no").toString());
        assertEquals(new PipedCommand(1, "", ""), result);
        JsonNode entry = new ObjectMapper().readTree(output.toFile()).get(0);
        assertEquals(List.of("description", "check_name", "fingerprint", "severity", "location"),
                entry.properties().stream().map(Map.Entry::getKey).toList());
        assertEquals("TileTest$Wide.tilesArrive(int)[2]: no", entry.get("description").asText());
        assertEquals(place(), entry.at("/location/path").asText());
        assertEquals(42, entry.at("/location/lines/begin").asInt());
        assertEquals("blocker", entry.get("severity").asText());
    }

    /** An assertion that really fails, here, is found by the line that it stands in. */
    @Test
    void theLineOfARealAssertion() {
        StackTraceElement here = new Throwable().getStackTrace()[0];
        AssertionFailedError error = assertThrows(AssertionFailedError.class, () -> assertEquals(1, 2));
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        Path root = Path.of(System.getProperty("tilewright.root", "."));
        assertEquals(new SourceLines.Place("src/test/java/dev/tilewright/cli/AnnotateCommandTest.java",
                here.getLineNumber() + 1), SourceLines.of(root).first(trace.toString()).orElseThrow());
    }

    @Test
    void whatVerifyWroteIsReadToo() throws IOException {
        CheckSummary summary = new CheckSummary();
        summary.add(new CheckSummary.Entry("gpu", "bulk-copy f32 5003", CheckSummary.Outcome.FAILED,
                "byte 3 differs\nseed 7", 0.1));
        Path report = Files.writeString(folder.resolve("verify.xml"),
                JUnitXml.of("tilewright.verify", summary, Map.of()));
        assertEquals("::error title=gpu.bulk-copy f32 5003::byte 3 differs\n", annotate(report.toString()).out());
    }

    @Test
    void aFolderOfReportsWithoutFailuresIsWell() throws IOException {
        Path reports = Files.createDirectories(folder.resolve("reports"));
        Files.writeString(reports.resolve("TEST-a.xml"), "<testsuite><testcase name='a' classname='b'/></testsuite>");
        Files.writeString(reports.resolve("a.txt"), "no report");
        assertEquals(new PipedCommand(0, "", ""), annotate(reports.toString()));
    }

    @Test
    void whatIsNoReportIsRefusedInASentence() throws IOException {
        Path missing = folder.resolve("missing.xml");
        assertEquals("tilewright: cannot read " + missing + ": there is no such file",
                annotate(missing.toString()).refusal());
        Path text = Files.writeString(folder.resolve("a.xml"), "<testsuite>\n<testcase");
        assertEquals("tilewright: " + text + " is no report in JUnit's XML form: it is not XML at line 2",
                annotate(text.toString()).refusal());
        Path other = Files.writeString(folder.resolve("b.xml"), "<html/>");
        assertEquals("tilewright: " + other + " is no report in JUnit's XML form: its first element is <html>, and has "
                + "to be"
                + " <testsuite> or <testsuites>", annotate(other.toString()).refusal());
        Path empty = Files.createDirectories(folder.resolve("empty"));
        assertTrue(annotate(empty.toString()).refusal().startsWith("tilewright: there is no report (*.xml) in "
                + empty));
        assertEquals("tilewright: --sources takes folders, and " + missing + " is none",
                annotate("--sources", missing.toString(), report("no").toString()).refusal());
        assertTrue(annotate("-o", text.resolve("b.txt").toString(), report("no").toString()).refusal()
                .startsWith("tilewright: cannot write "));
    }

    /**
     * A trace of 200 KB of blank lines, a frame whose line is no number that there is, and an element where text
     * belongs.
     */
    @Test
    void oneOddFailureLosesNone() throws IOException {
        Path report = report("no");
        String odd = "<testcase name='odd' classname='b'><failure message='odd'>\n" + " \n".repeat(100_000)
                + "\tat application.TileTest.m(TileTest.java:99999999999)\n\tat "
                + ".etc.x(passwd:1)\n<b>\tat</b></failure></testcase>\n";
        Files.writeString(report, Files.readString(report).replaceFirst("(?=<testcase)", odd));
        assertEquals(List.of("::error title=b.odd::odd", "::error file=" + place()
                + ",line=42,title=TileTest$Wide.tilesArrive(int)[2]::no"), annotate(report.toString()).lines());
    }

    /** The file behind an entity is not read. */
    @Test
    void noEntityIsFollowed() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        Path report = Files.writeString(folder.resolve("c.xml"),
                "<!DOCTYPE testsuite [<!ENTITY e SYSTEM '" + secret.toUri()
                + "'>]>\n<testsuite><testcase name='a' classname='b'><failure>&e;</failure></testcase></testsuite>");
        PipedCommand result = annotate(report.toString());
        assertTrue(!result.out().contains("secret"), result::toString);
    }
}
