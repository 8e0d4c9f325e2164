package dev.tilewright.cli.option;

import picocli.CommandLine.Option;

/** Options that every verb has. */
public final class CommonOptions {
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this help and end")
    public boolean help;

    @Option(names = "--debug", description = "add the stack trace to an error message")
    public boolean debug;
}
