package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code .ci/run} runs every step, whatever became of those before it, and says so in its table and its exit code. */
class CiRunTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    @TempDir
    Path project;

    /** How it ended. @param out standard output and standard error */
    private record Run(int code, String out) {
    }

    @BeforeEach
    void copy() throws IOException {
        Files.createDirectories(project.resolve(".ci/steps"));
        Files.copy(ROOT.resolve(".ci/run"), project.resolve(".ci/run"));
    }

    private void step(String file, String script) throws IOException {
        Path step = project.resolve(".ci/steps").resolve(file);
        Files.writeString(step, "#!/usr/bin/env bash\n# " + file + ": is a step of a test\n" + script + "\n");
        assertTrue(step.toFile().setExecutable(true));
    }

    private Run run(String... steps) throws IOException, InterruptedException {
        List<String> command = Stream.concat(Stream.of("bash", project.resolve(".ci/run").toString()), Stream.of(steps))
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out);
    }

    /** The table's rows: step, verdict and last line. */
    private static List<String> table(Run run) {
        return run.out.lines().dropWhile(l -> !l.startsWith("step ")).skip(1)
                .map(l -> l.replaceFirst(" +\\d+  ", " ").replaceAll(" +", " ")).toList();
    }

    @Test
    void aStepThatFailsFailsTheRunAndStopsNoOther() throws Exception {
        step("10-bad", "echo 'it broke'; exit 7");
        step("20-absent", "echo 'there is no such tool'; exit 3");
        step("30-good", "echo 'all 5 agree'");
        Run run = run();
        assertEquals(1, run.code, run.out);
        assertEquals(List.of("bad FAILED it broke", "absent not run there is no such tool", "good passed all 5 agree",
                "steps 3 failed 1 in 0 s; each one's output is in target/ci"),
                table(run).stream().map(l -> l.replaceFirst("in \\d+ s", "in 0 s")).toList());
        assertEquals("it broke\n", Files.readString(project.resolve("target/ci/bad.log")));
    }

    /** The end of the output alone says which tests failed, though steps that print much come after them. */
    @Test
    void errorsOfFailedStepsStandBeforeTheTable() throws Exception {
        step("10-tests", "echo '[INFO] fine'; printf '[\\e[1;31mERROR\\e[m] WaitTest.waits:41 too late\\n';"
                + "echo '[ERROR] [Help 1] http'; echo 'Time: 3 s'; exit 1");
        step("20-silent", "for i in $(seq 30); do echo line $i; done; exit 9");
        step("30-good", "for i in $(seq 500); do echo '[ERROR] not one of this run'; done");
        Run run = run();
        List<String> end = run.out.lines().dropWhile(l -> !l.startsWith("--- tests")).toList();
        assertEquals(List.of("--- tests exited with 1:", "[ERROR] WaitTest.waits:41 too late", "",
                "--- silent exited with 9:", "line 11"), end.subList(0, 5), run.out);
        assertEquals("line 30", end.get(23), run.out);
        assertEquals("steps 3 failed 2", end.getLast().substring(0, 16));
    }

    /** Each waits for the file of the other, and what is of the next ten comes after both. */
    @Test
    void stepsOfOneTenRunBesideEachOther() throws Exception {
        step("10-first", "touch a; for i in $(seq 600); do [[ -e b ]] && break; sleep 0.1; done; echo \"first $i\"");
        step("11-second", "for i in $(seq 600); do [[ -e a ]] && break; sleep 0.1; done; sleep 0.3; touch b; exit 5");
        step("20-last", "[[ -e b ]] && echo 'after both'");
        Run run = run();
        assertEquals(1, run.code, run.out);
        assertTrue(run.out.matches("(?s).*=== 10-first.*first [1-9]\\d?\n.*=== 20-last.*after both.*")
                && run.out.indexOf("=== 11-second") < run.out.indexOf("=== 20-last"),
                run.out);
        assertTrue(table(run).get(0).matches("first passed first [1-9]\\d?"), run.out);
        assertTrue(table(run).get(1).startsWith("second FAILED"), run.out);
        assertEquals("last passed after both", table(run).get(2), run.out);
    }

    /** The third begins when the second has ended, while the first waits for it. */
    @Test
    void twoOfATenRunAtATime() throws Exception {
        step("10-first", "for i in $(seq 600); do [[ -e c ]] && echo 'all three' && break; sleep 0.1; done");
        step("11-second", "sleep 0.3; [[ -e c ]] || touch b");
        step("12-third", "[[ -e b ]] && touch c");
        Run run = run();
        assertEquals(0, run.code, run.out);
        assertEquals("first passed all three", table(run).getFirst(), run.out);
    }

    @Test
    void stepsAreChosenByName() throws Exception {
        step("10-bad", "exit 1");
        step("30-good", "echo fine");
        Run run = run("good");
        assertEquals(0, run.code, run.out);
        assertEquals("good passed fine", table(run).getFirst());
        Run wrong = run("nonsense");
        assertEquals(new Run(2, ".ci/run: there is no step nonsense; there are: bad good\n"), wrong);
    }

    /** Each of the project's own says in its second line what it holds, and can be run. */
    @Test
    void stepsSayWhatTheyHold() throws IOException {
        try (Stream<Path> steps = Files.list(ROOT.resolve(".ci/steps"))) {
            List<Path> all = steps.toList();
            assertTrue(all.size() >= 6, all::toString);
            for (Path step : all) {
                String name = step.getFileName().toString();
                assertTrue(Files.isExecutable(step), name);
                assertTrue(Files.readAllLines(step).get(1).startsWith("# " + name.replaceFirst("\\d\\d-", "") + ": "),
                        name);
            }
        }
    }
}
