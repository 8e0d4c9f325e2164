package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.cli.terminal.SlowRun;
import dev.tilewright.reference.ReferenceOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A kernel that waits for what never comes, and the limits of the verbs that run it on the CPU. */
class RunLimitsTest {
    private static final String SPIN = """
            package my;
            import dev.tilewright.program.*;
            import dev.tilewright.program.expression.*;
            import dev.tilewright.ptx.*;
            import dev.tilewright.ptx.memory.*;
            import java.util.List;
            class Spin {
                static final Parameter.Pointer FLAG = new Parameter.Pointer("flag", true);
                static Launch launch() {
                    return new Launch(new TileProgram("spin", "waits", 32, List.of(FLAG), new SharedLayout(List.of()),
                            Body.steps(body -> {
                                body.when(Expr.Builtin.THREAD.isEqualTo(0), Spin::await);
                                body.purpose("the flag is set").syncThreads();
                            })), 2, List.of(new Argument.Buffer(0, 0, 256)));
                }
                static void await(Body body) {
                    Register seen = body.variable("seen", 0);
                    body.purpose("until the flag is set").repeatWhile(seen.get().toIndex().isEqualTo(0), turn ->
                            turn.assign(seen, turn.purpose("look").issue("now",
                                    Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32),
                                    Input.of(new Address.Global(FLAG, 0)))));
                }
            }
            """;
    private static final String WHERE = "in blocks 0-1, threads 1-31 are at __syncthreads\\(\\) in step 'the flag is "
            + "set'; thread 0 is in step [345] \\('[^']*', Spin.java:\\d+\\); if it does end, allow more with ";

    @TempDir
    static Path classes;

    @TempDir
    Path folder;

    @BeforeAll
    static void compile() throws IOException {
        Path source = Files.writeString(classes.resolve("Spin.java"), SPIN);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp",
                System.getProperty("java.class.path"), "-proc:none", "-d", classes.toString(), source.toString()));
    }

    private PipedCommand spin(String verb, String... more) {
        List<String> line = new ArrayList<>(List.of(verb, "--class-path", classes.toString(), "--program",
                "my.Spin#launch"));
        line.addAll(Arrays.asList(more));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    @Test
    void aCheckThatIsStoppedSaysWhereAndWhy() {
        PipedCommand check = spin("check", "--most-steps", "2e4");
        assertEquals(1, check.code(), check.toString());
        assertEquals("my.Spin#launch: the check did not come to its end", check.lines().getFirst());
        assertTrue(check.lines().get(1).matches("  kernel 'spin': the run was stopped after \\d+ steps of its threads: "
                + "at most 20000 steps are allowed; " + WHERE + "--most-steps"), check.out());
        assertEquals("presets 1 clean 0 mutants 0 found 0 missed 0", check.lines().getLast());
        PipedCommand json = spin("check", "--json", "--mutants", "--most-steps", "2e4");
        assertEquals(1, json.code());
        assertTrue(json.out().contains("\"clean\" : false") && json.out().contains("\"stopped\" : \"kernel 'spin'"),
                json.out());
    }

    @Test
    void aTimelineThatIsStoppedEndsThere() {
        PipedCommand timeline = spin("timeline", "--most-steps", "20000", "--rows", "3");
        assertEquals(1, timeline.code(), timeline.toString());
        assertTrue(timeline.lines().stream().anyMatch(line -> line.matches("stopped: kernel 'spin': .*" + WHERE
                + "--most-steps")), timeline.out());
    }

    @Test
    void aRunOfAnArrayIsStopped() throws IOException {
        Path output = folder.resolve("y.npy");
        PipedCommand run = PipedCommand.run("", "run", "bulk-copy", "--executor", "reference", "--most-steps", "1",
                "--input", Path.of(System.getProperty("tilewright.root", "."), "examples/interference.npy").toString(),
                "--output", output.toString());
        assertEquals(1, run.code(), run.toString());
        assertTrue(run.err().contains("at most 1 step is allowed") && run.err()
                .endsWith("allow more with --most-steps; " + output + " not written\n"), run.err());
        assertTrue(Files.notExists(output));
    }

    /** By the clock: before it is stopped a run that takes seconds has told how far it is, unless it hardly moves. */
    @Test
    void aLongRunTellsHowFarItIs() {
        PipedCommand timeline = spin("timeline", "--most-time", "3s", "--rows", "1");
        assertEquals(1, timeline.code(), timeline.toString());
        String stopped = timeline.lines().stream().filter(line -> line.startsWith("stopped: ")).findFirst()
                .orElseThrow();
        assertTrue(stopped.contains("at most 3 seconds are allowed; in block") && stopped.endsWith("--most-time"),
                stopped);
        if (Long.parseLong(stopped.replaceAll(".* after (\\d+) steps.*", "$1")) >= SlowRun.LEAST_STEPS) {
            assertTrue(timeline.err().matches("tilewright: still running on the CPU: \\d+ steps of the kernel's "
                    + "threads in \\d+ s; a run is stopped after 3s \\(--most-time\\) or 1e12 steps "
                    + "\\(--most-steps\\)\n"),
                    timeline.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "timeline", "run"})
    void theHelpHasTheDefaults(String verb) {
        String help = PipedCommand.run("", verb, "--help").out().replaceAll("\\s+", " ");
        assertTrue(help.contains("5m, 2h; default 10m")
                && help.contains("taken this many steps together; default 1e12"), help);
        assertEquals(10, ReferenceOptions.DEFAULT.mostTime().orElseThrow().toMinutes());
        assertEquals((long) 1e12, ReferenceOptions.DEFAULT.mostSteps());
    }

    /** The lines of a preset's own help begin at one column, those of the longest options too. */
    @Test
    void theHelpOfAPresetIsATable() {
        List<String> options = PipedCommand.run("", "run", "bulk-copy", "--help").lines().stream()
                .filter(line -> line.startsWith("  --")).toList();
        assertTrue(options.stream().anyMatch(line -> line.startsWith("  --bank-conflicts  ")), options::toString);
        assertTrue(options.stream().allMatch(line -> line.matches("  --[a-z-]+ +\\S.*") && line.charAt(19) == ' '
                && line.charAt(20) != ' '), options::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1e30", "many", "1.5", "99999999999999999999", ""})
    void whatIsNoNumberOfStepsIsRefused(String steps) {
        for (String verb : List.of("check", "timeline")) {
            assertEquals("tilewright: --most-steps takes a number of at least 1, such as 1000000 or 1e9, got '" + steps
                    + "'", spin(verb, "--most-steps=" + steps).refusal());
        }
        assertEquals("tilewright: --most-time takes 1s to 24 hours, such as 30s or 5m, got '0s'",
                spin("check", "--most-time", "0s").refusal());
    }
}
