package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Progress;
import dev.tilewright.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a terminal shows of results and notes that come while a bar is drawn: each on a line of its own. */
class TerminalTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final PrintStream both = new PrintStream(shown, true, StandardCharsets.UTF_8);

    private Terminal terminal(boolean interactive) {
        return new Terminal(InputStream.nullInputStream(), both, both, interactive);
    }

    /** The lines as they stand at the end: what follows a carriage return is written over what is there. */
    private List<String> screen() {
        return Arrays.stream(shown.toString(StandardCharsets.UTF_8).split("\n")).map(line -> {
            StringBuilder cells = new StringBuilder();
            for (String part : line.split("\r")) {
                cells.replace(0, Math.min(part.length(), cells.length()), part);
            }
            return cells.toString().stripTrailing();
        }).toList();
    }

    @Test
    void aLineDoesNotBeginBehindTheBar() {
        Terminal terminal = terminal(true);
        Progress progress = terminal.progress();
        progress.at("copying 64 MiB", 1, 4);
        terminal.result("first row");
        terminal.result("second");
        progress.at("copying 64 MiB", 1, 4);
        progress.at("copying 64 MiB", 2, 4);
        terminal.note("slow");
        progress.at("copying 64 MiB", 4, 4);
        progress.at("copying 1 MiB", 0, 4);
        progress.at("reading", 0, 4);
        assertEquals(List.of("first row", "second", "tilewright: slow", "copying 64 MiB [####################] 100 %",
                "copying 1 MiB [....................] 0 %", "reading [....................] 0 %"), screen());
    }

    @Test
    void elsewhereThereIsALineForEachWork() {
        Terminal terminal = terminal(false);
        terminal.progress().at("copying", 1, 4);
        terminal.result("row");
        terminal.progress().at("copying", 2, 4);
        assertEquals(List.of("tilewright: copying ...", "row"), screen());
    }
}
