package dev.tilewright.cli.option;

import dev.tilewright.cli.terminal.Terminal;
import java.util.List;
import picocli.CommandLine.Option;

/** A verb that prints lines for people, or one document. */
public abstract class JsonVerb extends Verb {
    @Option(names = "--json", description = "print one JSON document")
    protected boolean json;

    protected JsonVerb(Terminal terminal) {
        super(terminal);
    }

    /** Prints a result as what was asked for. */
    protected void print(Object document, List<String> lines) {
        if (json) {
            terminal.json(document);
        } else {
            lines.forEach(terminal::result);
        }
    }
}
