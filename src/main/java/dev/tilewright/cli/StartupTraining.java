package dev.tilewright.cli;

import dev.tilewright.cli.terminal.ExitCode;
import java.util.List;

/**
 * What the launcher runs once, so that the JVM can note which classes its starts need: verbs whose starts are waited
 * for, on arrays and on tile kernels.
 */
final class StartupTraining {
    private StartupTraining() { }

    /** @param args an array to read, and where to write its copy */
    public static void main(String[] args) {
        for (String[] verb : List.of(new String[] {"run", "tensor-copy", "--executor", "reference", "--input", args[0],
            "--output", args[1], "--json"}, new String[] {"explain", "gemm"}, new String[] {"emit", "softmax"},
                new String[] {"ptx", "--tsv"})) {
            int ended = Main.run(verb, System.out, System.err, false);
            if (ended != ExitCode.OK) {
                System.exit(ended);
            }
        }
    }
}
