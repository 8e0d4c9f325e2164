package dev.tilewright.cli.tensormap;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.io.FileProblem;
import dev.tilewright.ptx.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code tensormap check}, {@code encode} and {@code decode} have in common: lines to read, and a target. */
final class DescriptionInput {
    private static final String STANDARD_INPUT = "-";

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "what to read, - for standard input (default)")
    Path file;

    @Option(names = "--spec", paramLabel = "FILE", description = "the same as an option")
    Path option;

    @Option(names = "--target", paramLabel = "TARGET", defaultValue = "sm_90",
            description = "what the maps are for, default ${DEFAULT-VALUE}")
    String target;

    /** @throws BadRequestException if there is no such target, or none that is known */
    Target target() {
        return Arguments.target(target);
    }

    /**
     * Hands on each line that is not blank, with its number from 1.
     *
     * @param action may throw a {@link BadRequestException}: its message gets the line's place in front, and no further
     *     line is read
     */
    void forEach(Terminal terminal, BiConsumer<Integer, String> action) {
        if (file != null && option != null) {
            throw new BadRequestException("name one file: got " + file + " and --spec " + option);
        }
        if (isStandardInput()) {
            try {
                forEach(terminal.in(), action);
            } catch (IOException e) {
                throw new BadRequestException("cannot read standard input: " + e.getMessage(), e);
            }
            return;
        }
        try (InputStream in = Files.newInputStream(spec())) {
            forEach(in, action);
        } catch (IOException e) {
            throw FileProblem.of("read", spec(), e);
        }
    }

    private void forEach(InputStream in, BiConsumer<Integer, String> action) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            // Windows programs begin a file with a mark of the byte order.
            String text = number == 1 && line.startsWith("\uFEFF") ? line.substring(1) : line;
            if (text.isBlank()) {
                continue;
            }
            try {
                action.accept(number, text);
            } catch (BadRequestException e) {
                throw new BadRequestException(place(number) + ": " + e.getMessage(), e);
            }
        }
    }

    private Path spec() {
        return file != null ? file : option;
    }

    private boolean isStandardInput() {
        return spec() == null || spec().toString().equals(STANDARD_INPUT);
    }

    /** What messages call a line. */
    String place(int line) {
        return isStandardInput() ? "line " + line : spec() + ", line " + line;
    }
}
