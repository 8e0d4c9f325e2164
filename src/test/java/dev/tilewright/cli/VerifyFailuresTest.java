package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.verify.VerifyFailures;
import dev.tilewright.verify.CaseFile;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.draw.Kinds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verify --failures}: what fails becomes a test, and what passes none. */
class VerifyFailuresTest {
    @TempDir
    Path folder;

    private static PipedCommand verify(Path failures, String line) {
        return PipedCommand.run("", "verify", "--executor", "reference", "--failures", failures.toString(), "--case",
                line);
    }

    private static List<String> names(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aFailedCaseBecomesATest() throws IOException {
        Path made = folder.resolve("made");
        PipedCommand command = verify(made, "planted what=fault");
        assertEquals(1, command.code(), command.err());
        List<String> names = names(made);
        assertEquals(2, names.size(), names::toString);
        assertTrue(names.getFirst().matches("PlantedCase[0-9a-f]{8}Test\\.cu"), names::toString);
        assertTrue(Files.readString(made.resolve(names.getLast())).contains("\"planted what=fault\""), names::toString);
        assertTrue(command.err().contains("as small as it gets"), command.err());
        reportAndTableAreThereThoughTheTestCannotBeWritten(made);
    }

    @Test
    void whatPassesBecomesNone() throws IOException {
        PipedCommand command = verify(folder, "values program=1.2.3.4.5 launch=6");
        assertEquals(0, command.code(), command.err());
        assertEquals(List.of(), names(folder));
    }

    @Test
    void aPlaceThatIsNoFolderIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertEquals("tilewright: --failures takes a folder, and " + file + " is a file",
                verify(file, "planted what=fault").refusal());
        assertEquals("tilewright: cannot write " + file.resolve("made") + ": the folder " + file
                + " cannot be made: there is a file " + file + " already",
                verify(file.resolve("made"), "planted what=fault").refusal());
    }

    /** As in /proc, whose permissions do not say so. */
    @Test
    void aFolderThatTakesNoFileIsRefusedBeforeAnyCase() {
        String refusal = verify(Path.of("/proc"), "planted what=fault").refusal();
        assertTrue(refusal.startsWith("tilewright: cannot write /proc/FailedCaseTest.java: "), refusal);
    }

    /** A folder that has the name of the test makes it fail when all else is done. */
    private void reportAndTableAreThereThoughTheTestCannotBeWritten(Path made) throws IOException {
        Path test = made.resolve(names(made).getLast());
        Files.delete(test);
        Files.createDirectory(test);
        Path report = folder.resolve("report.xml");
        PipedCommand command = PipedCommand.run("", "verify", "--executor", "reference", "--failures", made.toString(),
                "--junit-xml", report.toString(), "--case", "planted what=fault");
        assertEquals(1, command.code(), command.err());
        assertTrue(command.err().contains("tilewright: cannot write " + test + ": "), command.err());
        assertTrue(Files.readString(report).contains("cases 1 passed 0 failed 1 skipped 0"), command.err());
        assertTrue(command.out().endsWith("cases 1 passed 0 failed 1 skipped 0\n"), command.out());
    }

    /** Lines of programs of values are often longer than a terminal takes. */
    @Test
    void aLongLineBecomesAFileThatTheCommandTakes() throws IOException {
        String line = "values program=" + "3.".repeat(CaseFile.LONG) + "4 launch=6";
        CheckSummary summary = new CheckSummary();
        for (String name : List.of(line, "planted what=fault")) {
            summary.add(new CheckSummary.Entry("gpu", "values", name, CheckSummary.Outcome.FAILED, "byte 0", 0,
                    CaseFile.command(name), ""));
        }
        summary.add(new CheckSummary.Entry("replay", line, CheckSummary.Outcome.FAILED, "row 1", 0));
        Path made = folder.resolve("made");
        new VerifyFailures(made, Kinds.of(Presets.CATALOG, Presets.CATALOG.presets()),
                new Terminal(InputStream.nullInputStream(), System.out, System.err, false))
                .keepLongLines(summary);
        Path file = made.resolve(names(made).getFirst());
        assertEquals(List.of("tilewright verify --case '@" + file + "'",
                "tilewright verify --case 'planted what=fault'", ""), summary.failures().stream()
                .map(CheckSummary.Entry::reproduction).toList());
        assertEquals(line, Files.readString(file).strip());
        PipedCommand again = PipedCommand.run("", "verify", "--executor", "reference", "--case", "@" + file);
        assertEquals(0, again.code(), again.err());
        assertTrue(again.out().endsWith("cases 1 passed 1 failed 0 skipped 0\n"), again.out());
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertEquals("tilewright: cannot read " + folder.resolve("x.case") + ": there is no such file",
                verify(folder, "@" + folder.resolve("x.case")).refusal());
        assertEquals("tilewright: --case @a\\0b names no file that there can be here",
                verify(folder, "@a\0b").refusal());
    }
}
