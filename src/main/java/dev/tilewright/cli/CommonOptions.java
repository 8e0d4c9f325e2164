package dev.tilewright.cli;

import picocli.CommandLine.Option;

/** Options that every verb has. */
final class CommonOptions {
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this help and end")
    boolean help;

    @Option(names = "--debug", description = "add the stack trace to an error message")
    boolean debug;
}
