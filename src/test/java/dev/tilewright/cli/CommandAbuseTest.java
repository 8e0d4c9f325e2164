package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.cli.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What people type by mistake, and what others type on purpose. */
class CommandAbuseTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"******!", "*************************!", "*.*.*.*.*.*.*.*.*.*.*.*.*!"})
    void aPatternOfManyStarsIsAnsweredAtOnce(String pattern) {
        assertTimeoutPreemptively(Duration.ofMinutes(2), () -> {
            assertEquals("tilewright: no form of '" + pattern + "': 'tilewright ptx' lists the instructions",
                    PipedCommand.run("", "ptx", pattern).refusal());
            assertEquals("tilewright: no preset matches '" + pattern + "': see 'tilewright list'",
                    PipedCommand.run("", "verify", "--presets", pattern).refusal());
        });
    }

    @Test
    void twoFormatsAreRefused() {
        assertEquals("tilewright: choose one of --tsv and --json", PipedCommand.run("", "ptx", "--json", "--tsv")
                .refusal());
    }

    /**
     * An escape sequence in an argument or a file does not reach the terminal; a line break does not make a second
     * line.
     */
    @Test
    void nothingThatIsEchoedSteersTheTerminal() throws IOException {
        String evil = "x\u001b[31m\u009b2J\r\n\u202ey\u0007";
        String shown = "x\\u001b[31m\\u009b2J\\u000d\\u000a\\u202ey\\u0007";
        for (List<String> line : List.of(List.of(evil), List.of("ptx", evil), List.of("emit", evil),
                List.of("check", evil), List.of("run", evil), List.of("--" + evil), List.of("list", "--" + evil),
                List.of("emit", "bulk-copy", "--type", evil), List.of("verify", "--presets", evil),
                List.of("replay", folder + "/" + evil), List.of("tensormap", evil),
                List.of("tensormap", "check", "--spec", folder + "/" + evil), List.of("bench", evil),
                List.of("run", "bulk-copy", "--executor", evil), List.of("verify", "--cases", evil),
                List.of("swizzle", "--mode", evil, "--box", "8x8"), List.of("ptx", "--target", evil))) {
            String refusal = PipedCommand.run("", line.toArray(String[]::new)).refusal();
            assertTrue(refusal.chars().noneMatch(Character::isISOControl) && refusal.indexOf('\u202e') < 0, refusal);
            assertTrue(refusal.contains(shown), refusal);
        }
        Path file = Files.writeString(folder.resolve("a\u001bb"),
                "{\"mode\":\"tile\",\"dtype\":0,\"dim\":[64],\"box\":[16]}");
        PipedCommand well = PipedCommand.run("", "tensormap", "check", file.toString());
        assertEquals(0, well.code(), well.err());
        assertTrue(well.out().startsWith(folder + "/a\\u001bb, line 1: "), well.out());
    }

    @Test
    void aFileMayBeAnArgumentOfTensormap() throws IOException {
        Path file = Files.writeString(folder.resolve("maps.json"),
                "{\"mode\":\"tile\",\"dtype\":0,\"dim\":[64],\"box\":[16]}");
        PipedCommand option = PipedCommand.run("", "tensormap", "check", "--spec", file.toString());
        assertEquals(0, option.code(), option.err());
        assertEquals(option, PipedCommand.run("", "tensormap", "check", file.toString()));
        String hex = PipedCommand.run("", "tensormap", "encode", file.toString()).out();
        assertEquals(256, hex.strip().length());
        Path bytes = Files.writeString(folder.resolve("hex"), hex);
        assertEquals(0, PipedCommand.run("", "tensormap", "decode", bytes.toString()).code());
        assertEquals(0, PipedCommand.run(hex, "tensormap", "decode", "-").code());
        assertEquals("tilewright: name one file: got " + file + " and --spec -",
                PipedCommand.run("", "tensormap", "check", file.toString(), "--spec", "-").refusal());
    }

    @Test
    void anArgumentIsNotReadAsAFileOfArguments() throws IOException {
        Path file = Files.writeString(folder.resolve("arguments"), "list");
        assertTrue(PipedCommand.run("", "@" + file).refusal().startsWith("tilewright: there is no verb '@"));
    }

    @Test
    void aPresetsHelpNamesEveryOptionOfRun() {
        String help = PipedCommand.run("", "run", "tensor-copy", "--help").out();
        for (String option : List.of("--type", "--json", "--check", "--input", "--output", "--executor", "--scalar",
                "--tile", "--debug")) {
            assertTrue(help.contains(option + " "), help);
        }
    }

    /** Verbs and options that are planned and not there are not named. */
    @Test
    void helpNamesWhatIsThere() {
        String verbs = PipedCommand.run("", "--help").out();
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        Map<String, CommandLine> all = Main.commandLine(new Terminal(InputStream.nullInputStream(), nowhere, nowhere,
                false), () -> Presets.CATALOG, List.of()).getSubcommands();
        assertTrue(all.size() >= 18, all::toString);
        all.forEach((verb, line) -> {
            assertTrue(verbs.lines().anyMatch(l -> l.strip().matches(verb + " .*")), verb + " is not in\n" + verbs);
            // A line that begins with a verb knows no other.
            assertEquals(new PipedCommand(0, line.getUsageMessage(), ""), PipedCommand.run("", verb, "--help"));
        });
    }

    @Test
    void aFileHasAName() {
        for (List<String> line : List.of(List.of("run", "bulk-copy", "--input", "", "--output", "y"),
                List.of("run", "bulk-copy", "--input", "x", "--output", ""), List.of("emit", "bulk-copy", "-o", ""),
                List.of("replay", ""), List.of("tensormap", "check", ""))) {
            String refusal = PipedCommand.run("", line.toArray(String[]::new)).refusal();
            assertTrue(refusal.contains("a file's name must not be empty"), refusal);
        }
    }

    @Test
    void nothingIsSaidInJavasWords() {
        for (List<String> line : List.of(List.of("run", "bulk-copy", "--input", "a\0b", "--output", "y"),
                List.of("verify", "--cases", "1e9"), List.of("replay", "a\0b"), List.of("bench", "--sizes", "a"),
                List.of("run", "--executor", "x"))) {
            String refusal = PipedCommand.run("", line.toArray(String[]::new)).refusal();
            assertTrue(!refusal.contains("Exception") && !refusal.contains("java."), refusal);
        }
    }
}
