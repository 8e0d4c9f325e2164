package dev.tilewright.cli;

import dev.tilewright.cli.terminal.ExitCode;

/**
 * What the launcher runs once, so that the JVM can note which classes its starts need: a small run and the instruction
 * catalogue, the two verbs whose starts are waited for.
 */
final class StartupTraining {
    private StartupTraining() { }

    /** @param args an array to read, and where to write its copy */
    public static void main(String[] args) {
        int run = Main.run(new String[] {"run", "tensor-copy", "--executor", "reference", "--input", args[0],
            "--output", args[1], "--json"}, System.out, System.err, false);
        if (run != ExitCode.OK) {
            System.exit(run);
        }
        System.exit(Main.run(new String[] {"ptx", "--tsv"}, System.out, System.err, false));
    }
}
