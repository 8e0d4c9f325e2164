package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as a whole: verbs, help, and what becomes of failures. */
class MainTest {
    private static final List<String> VERBS = List.of("doctor", "list", "emit", "run", "verify", "check", "bench",
            "tune", "cache");

    @Test
    void aVerbIsNeeded() {
        String line = PipedCommand.run("").refusal();
        assertTrue(line.startsWith("tilewright: name a verb: doctor, list, emit, run, verify")
                && line.endsWith(" (see 'tilewright --help')"), line);
        assertEquals("tilewright: there is no verb 'verfy': did you mean 'verify'? (see 'tilewright --help')",
                PipedCommand.run("", "verfy").refusal());
        assertEquals("tilewright: Unknown option: '--jsno' (see 'tilewright --help')",
                PipedCommand.run("", "--jsno").refusal());
        assertEquals("tilewright: there is no verb 'chek': did you mean 'check'? (see 'tilewright --help')",
                PipedCommand.run("", "chek").refusal());
        assertEquals("tilewright: there is no verb 'somethingelse' (see 'tilewright --help')",
                PipedCommand.run("", "somethingelse").refusal());
        assertEquals("tilewright: Unknown option: '--json': options come after the verb, 'tilewright list --json' (see "
                + "'tilewright --help')", PipedCommand.run("", "--json", "list").refusal());
        assertEquals("tilewright: Invalid value for option '--rows': 'x' is not a whole number (see 'tilewright "
                + "timeline --help')", PipedCommand.run("", "timeline", "--rows", "x").refusal());
        assertEquals("tilewright: Invalid value for option '--rows': '99999999999' is not a whole number from "
                + "-2147483648 to 2147483647 (see 'tilewright timeline --help')",
                PipedCommand.run("", "timeline", "--rows", "99999999999").refusal());
        assertEquals("tilewright: name a preset (see 'tilewright list'), or a kernel of your own: --class-path PATH "
                + "--program CLASS#MEMBER", PipedCommand.run("", "emit").refusal());
    }

    @Test
    void helpAndVersionAreResults() {
        PipedCommand help = PipedCommand.run("", "--help");
        assertEquals(0, help.code());
        assertEquals("", help.err());
        VERBS.forEach(verb -> assertTrue(help.lines().stream().anyMatch(l -> l.startsWith("  " + verb + " ")), verb));
        for (String exitCode : List.of("0   all is well", "1   the bytes differ", "2   the request is wrong",
                "3   something it needs")) {
            assertTrue(help.out().contains(exitCode), help.out());
        }
        assertTrue(PipedCommand.run("", "--version").out().startsWith("tilewright "));
        for (String verb : VERBS) {
            PipedCommand own = PipedCommand.run("", verb, "--help");
            assertEquals(0, own.code());
            assertTrue(own.out().startsWith("Usage: tilewright " + verb + " "), own.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"emit bulk-copi", "emit bulk-copy --target x", "verify --cases -1", "cache --stats --clear",
            "list --jsn", "emit"})
    void aTraceOnlyWhereItIsAskedFor(String options) {
        String line = PipedCommand.run("", options.split(" ")).refusal();
        PipedCommand traced = PipedCommand.run("", (options + " --debug").split(" "));
        assertEquals(2, traced.code());
        assertEquals("", traced.out());
        assertTrue(traced.err().contains("\n\tat ") && traced.err().endsWith("\n" + line + "\n"), traced.err());
    }

    @Test
    void tooLittleMemoryIsSomethingMissing() {
        PrintStream full = new PrintStream(OutputStream.nullOutputStream()) {
            @Override
            public void println(String line) {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertEquals(3, Main.run(new String[] {"list"}, full, new PrintStream(err), false));
        assertEquals("tilewright: not enough memory: Java heap space\n", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void anythingElseIsOneLineToo() {
        PrintStream broken = new PrintStream(OutputStream.nullOutputStream()) {
            @Override
            public void println(String line) {
                throw new IllegalStateException("the pipe is broken");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertEquals(1, Main.run(new String[] {"list"}, broken, new PrintStream(err), false));
        assertEquals("tilewright: the pipe is broken\n", err.toString(StandardCharsets.UTF_8));
    }
}
