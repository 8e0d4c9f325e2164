package dev.tilewright.cli;

import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One command line with something piped in, run in this process.
 *
 * @param code exit code
 * @param out standard output
 * @param err standard error
 */
record PipedCommand(int code, String out, String err) {

    static PipedCommand run(String input, String... args) {
        return run(input.getBytes(StandardCharsets.UTF_8), args);
    }

    static PipedCommand run(byte[] input, String... args) {
        return run(Presets.CATALOG, input, args);
    }

    /** A command that offers these presets. */
    static PipedCommand run(PresetCatalog presets, String... args) {
        return run(presets, new byte[0], args);
    }

    private static PipedCommand run(PresetCatalog presets, byte[] input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code;
        try (PrintStream outStream = new PrintStream(out, true, StandardCharsets.UTF_8);
                PrintStream errStream = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            code = Main.run(args, new ByteArrayInputStream(input), outStream, errStream, false, () -> presets);
        }
        return new PipedCommand(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Exit code 2, nothing on standard output, one line on standard error: that line. */
    String refusal() {
        if (code != 2 || !out.isEmpty() || err.lines().count() != 1 || !err.endsWith("\n")) {
            throw new AssertionError("not refused in one line: " + this);
        }
        return err.strip();
    }

    /** Standard output's lines. */
    List<String> lines() {
        return out.lines().toList();
    }
}
