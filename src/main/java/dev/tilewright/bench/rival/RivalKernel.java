package dev.tilewright.bench.rival;

import dev.tilewright.NotNull;

/**
 * One of the kernels in C++.
 *
 * @param name such as {@code bulk-pipeline-8k-4s}
 * @param mechanism the name of the way in which it works, such as {@code bulk-pipeline}
 * @param parameters in words: tiles, stages, threads, blocks
 */
public record RivalKernel(String name, String mechanism, String parameters) {

    public RivalKernel {
        NotNull.all("name, mechanism, parameters", name, mechanism, parameters);
    }
}
