package dev.tilewright.cli;

import dev.tilewright.cli.terminal.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the launcher runs once, so that the JVM can note which classes its starts need: most verbs, on arrays and on
 * tile kernels.
 */
final class StartupTraining {
    private StartupTraining() { }

    /** @param args an array to read, and where to write its copy */
    public static void main(String[] args) {
        List<List<String>> runs = new ArrayList<>(List.of(List.of("run", "tensor-copy", "--executor", "reference",
                "--input", args[0], "--output", args[1], "--json")));
        Stream.of("explain gemm", "emit softmax", "ptx --tsv", "check softmax", "check tensor-copy", "timeline softmax",
                "doctor").map(line -> List.of(line.split(" ")))
                .forEach(runs::add);
        for (List<String> run : runs) {
            int ended = Main.run(run.toArray(String[]::new), System.out, System.err, false);
            if (ended != ExitCode.OK) {
                System.exit(ended);
            }
        }
    }
}
