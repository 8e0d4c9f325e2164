package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.ResultStream;
import dev.tilewright.gpu.host.OtherJava;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A result that could not be written is no success, whatever the verb. */
@Order(17)
class LostOutputTest {
    private static final String FULL = "tilewright: standard output could not be written: no space left on device";

    @TempDir
    Path folder;

    /** @param error what every write ends with, in the words of the kernel's strerror */
    private static PipedCommand failing(String error, String... args) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(error);
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(args, InputStream.nullInputStream(), ResultStream.to(full, StandardCharsets.UTF_8),
                new PrintStream(err, true), false);
        return new PipedCommand(code, "", err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @ValueSource(strings = {"list", "list --json", "doctor", "emit bulk-copy", "ptx", "ptx --tsv", "ptx --markdown",
            "cache",
        "swizzle --mode 128B --box 16x32", "check vector-copy", "check vector-copy --json", "--help", "run --help",
        "--version"})
    void noVerbSucceeds(String line) {
        assertEquals(new PipedCommand(3, "", FULL + "\n"), failing("No space left on device", line.split(" ")));
        assertEquals(new PipedCommand(ExitCode.READER_GONE, "", ""), failing("Broken pipe", line.split(" ")));
    }

    @Test
    void whatWasWrongBeforeStaysTheExitCode() {
        assertEquals(2, failing("No space left on device", "list", "--nonsense").code());
        assertEquals(2, failing("Broken pipe", "list", "--nonsense").code());
    }

    /** @param first a script that runs before the command; {@code $0} is a file's name that it may use */
    private String withOutputTo(String first, String redirection) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", "{ " + first + "\"$@\"; echo $? >&2; } " + redirection,
                folder.resolve("closed").toString()));
        command.addAll(OtherJava.command(List.of(), Main.class, "swizzle", "--mode", "128B", "--box", "16x32"));
        Process process = new ProcessBuilder(command).start();
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Of a verb that starts faster than others. */
    @Test
    void realProcesses() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is no /dev/full");
        assertEquals(FULL + "\n3\n", withOutputTo("", "> /dev/full"));
        // The command begins when nobody reads any more.
        assertEquals("141\n", withOutputTo("until [ -e \"$0\" ]; do sleep 0.1; done; ", "| { exec <&-; : >\"$0\"; }"));
        assertEquals("tilewright: standard output could not be written: bad file descriptor\n3\n",
                withOutputTo("", ">&-"));
    }

    /**
     * The report of a run that failed is on a disk that is full: what was found is printed, and stays the exit code.
     */
    @ParameterizedTest
    @CsvSource({"1, verify --executor reference --case FAILS --junit-xml, cases 1 passed 0 failed 1 skipped 0",
        "3, verify --executor reference --case PASSES --junit-xml, cases 1 passed 1",
        "3, replay RECORDING --junit-xml, disagreed 0", "3, bench --read REPORT --csv, rows",
        "1, annotate ANNOTATED -o,"})
    void aReportThatCannotBeWrittenLosesNoResult(int code, String line, String printed) throws IOException {
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is no /dev/full");
        Path root = Path.of(System.getProperty("tilewright.root", "."));
        Path annotated = Files.writeString(folder.resolve("r.xml"),
                "<testsuite><testcase name='a' classname='b'><failure/></testcase></testsuite>");
        List<String> words = Stream.concat(Stream.of(line.split(" ")), Stream.of("/dev/full"))
                .map(word -> switch (word) {
            case "REPORT" -> root.resolve("native-tests/logs/bench-check.json").toString();
            case "RECORDING" -> root.resolve("native-tests/recordings/interleave-load.jsonl.gz").toString();
            case "ANNOTATED" -> annotated.toString();
            case "FAILS" -> "planted what=fault";
            case "PASSES" -> "values program=1.2.3.4.5 launch=6";
            default -> word;
        }).toList();
        PipedCommand command = PipedCommand.run("", words.toArray(String[]::new));
        assertEquals(code, command.code(), command.toString());
        assertTrue(printed == null || command.out().lines().reduce((_, last) -> last).orElse("").contains(printed),
                command.toString());
        assertTrue(command.err().endsWith("tilewright: cannot write /dev/full: no space left on device\n")
                || command.err().contains("tilewright: cannot write /dev/full: No space left on device\n"),
                command.err());
    }
}
