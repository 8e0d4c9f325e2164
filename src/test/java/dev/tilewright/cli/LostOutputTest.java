package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A result that could not be written is no success, whatever the verb. */
class LostOutputTest {
    private static final String SENTENCE =
            "tilewright: standard output could not be written: its disk is full, or what reads it has ended";

    @TempDir
    Path folder;

    private static PipedCommand onFullDisk(String... args) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(args, InputStream.nullInputStream(), new PrintStream(full), new PrintStream(err, true), false);
        return new PipedCommand(code, "", err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "list --json", "doctor", "emit bulk-copy", "ptx", "ptx --tsv", "ptx --markdown", "cache",
        "swizzle --mode 128B --box 16x32", "check vector-copy", "check vector-copy --json", "--help", "run --help", "--version"})
    void noVerbSucceeds(String line) {
        assertEquals(new PipedCommand(3, "", SENTENCE + "\n"), onFullDisk(line.split(" ")));
    }

    @Test
    void whatWasWrongBeforeStaysTheExitCode() {
        assertEquals(2, onFullDisk("list", "--nonsense").code());
    }

    /** @param first a script that runs before the command; {@code $0} is a file's name that it may use */
    private int withOutputTo(String first, String redirection) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "{ " + first + "\"$@\"; echo $? >&2; } " + redirection,
                folder.resolve("closed").toString()));
        command.addAll(OtherJava.command(List.of(), Main.class, "list"));
        Process process = new ProcessBuilder(command).start();
        List<String> said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        assertEquals(SENTENCE, said.get(said.size() - 2), said.toString());
        return Integer.parseInt(said.getLast());
    }

    @Test
    void realProcesses() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is no /dev/full");
        assertEquals(3, withOutputTo("", "> /dev/full"));
        // The command begins when nobody reads any more.
        assertEquals(3, withOutputTo("until [ -e \"$0\" ]; do sleep 0.1; done; ", "| { exec <&-; : >\"$0\"; }"));
        assertEquals(3, withOutputTo("", ">&-"));
    }
}
