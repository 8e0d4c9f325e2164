package dev.tilewright.cli;

import dev.tilewright.cli.terminal.ExitCode;
import java.util.stream.Stream;

/**
 * What the launcher runs once, so that the JVM can note which classes its starts need: most verbs, on arrays and on
 * tile kernels.
 */
final class StartupTraining {
    private StartupTraining() { }

    /** @param args an array to read, and where to write its copy */
    public static void main(String[] args) {
        String[] run = {"run", "tensor-copy", "--executor", "reference", "--input", args[0], "--output", args[1],
            "--json"};
        for (String[] line : Stream.concat(Stream.<String[]>of(run), Stream.of("explain gemm", "emit softmax",
                "ptx --tsv", "check softmax", "check tensor-copy", "timeline softmax", "doctor")
                .map(line -> line.split(" "))).toList()) {
            int ended = Main.run(line, System.out, System.err, false);
            if (ended != ExitCode.OK) {
                System.exit(ended);
            }
        }
    }
}
