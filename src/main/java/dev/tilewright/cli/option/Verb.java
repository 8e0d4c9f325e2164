package dev.tilewright.cli.option;

import dev.tilewright.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A verb of the command: what it is called with, and where it writes. Its call gives the exit code. */
public abstract class Verb implements Callable<Integer> {
    protected final Terminal terminal;

    @Mixin
    protected CommonOptions common;

    protected Verb(Terminal terminal) {
        this.terminal = terminal;
    }
}
