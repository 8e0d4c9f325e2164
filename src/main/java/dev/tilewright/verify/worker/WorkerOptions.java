package dev.tilewright.verify.worker;

import java.util.List;
import java.util.OptionalInt;

/**
 * What a worker process works with.
 *
 * @param gpu the ordinal of its GPU; empty for the reference executor in a GPU's place
 * @param devices how many cases it runs at once: 1 on a GPU, whose errors are of all that runs there
 * @param threads how many cases it prepares and compares at once
 */
public record WorkerOptions(OptionalInt gpu, int devices, int threads) {
    private static final int NO_GPU = -1;

    /** What its cases are counted with: {@code gpu} or {@code reference}. */
    public String group() {
        return gpu.isPresent() ? "gpu" : "reference";
    }

    /** The arguments of its process. */
    List<String> arguments() {
        return List.of(Integer.toString(gpu.orElse(NO_GPU)), Integer.toString(devices), Integer.toString(threads));
    }

    static WorkerOptions parse(String... arguments) {
        int gpu = Integer.parseInt(arguments[0]);
        return new WorkerOptions(gpu == NO_GPU ? OptionalInt.empty() : OptionalInt.of(gpu),
                Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
    }
}
