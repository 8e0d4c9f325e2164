package dev.tilewright.cli.option;

import dev.tilewright.cli.terminal.Json;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import dev.tilewright.cli.terminal.Visible;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code -o FILE}: a file that takes a verb's result instead of standard output. */
public final class OutputFile {
    @Written
    @Option(names = {"-o", "--output"}, paramLabel = "FILE", description = "write there instead of to standard output")
    Path file;

    /** Writes a text as it is, such as a source or a drawing. */
    public void text(Terminal terminal, String text) {
        if (file == null) {
            terminal.text(text);
        } else {
            TextFile.write(file, text);
        }
    }

    /** Writes lines for people. */
    public void lines(Terminal terminal, List<String> lines) {
        if (file == null) {
            lines.forEach(terminal::result);
        } else {
            TextFile.write(file, String.join("", lines.stream().map(line -> Visible.lines(line) + "\n").toList()));
        }
    }

    /** Writes a report: one JSON document if that was asked for, else its lines for people. */
    public void report(Terminal terminal, boolean json, Object document, List<String> lines) {
        if (json) {
            json(terminal, document);
        } else {
            lines(terminal, lines);
        }
    }

    /** Writes one JSON document. @param report a record, or a list of them */
    public void json(Terminal terminal, Object report) {
        if (file == null) {
            terminal.json(report);
        } else {
            TextFile.write(file, Json.document(report) + "\n");
        }
    }
}
