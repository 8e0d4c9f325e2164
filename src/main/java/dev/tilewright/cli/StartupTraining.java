package dev.tilewright.cli;

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
        int ptx = Main.run(new String[] {"ptx", "--tsv"}, System.out, System.err, false);
        System.exit(Math.max(run, ptx));
    }
}
