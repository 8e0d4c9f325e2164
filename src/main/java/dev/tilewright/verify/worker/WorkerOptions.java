package dev.tilewright.verify.worker;

import dev.tilewright.gpu.Backend;
import java.util.List;

/**
 * What a worker process works with.
 *
 * @param gpu the ordinal of its GPU; of no meaning to the reference
 * @param devices how many cases it runs at once: 1 on a GPU, whose errors are of all that runs there
 * @param threads how many cases it prepares and compares at once
 */
public record WorkerOptions(Backend backend, int gpu, int devices, int threads) {

    /** The arguments of its process. */
    List<String> arguments() {
        return List.of(backend.name(), Integer.toString(gpu), Integer.toString(devices), Integer.toString(threads));
    }

    static WorkerOptions parse(String... arguments) {
        return new WorkerOptions(Backend.valueOf(arguments[0]), Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
    }
}
