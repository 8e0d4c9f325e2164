package dev.tilewright.bench.rival;

import dev.tilewright.NotNull;

/**
 * One of the kernels in C++.
 *
 * @param name such as {@code bulk-pipeline-8k-4s}
 * @param mechanism those that do the same in the same way have the same: {@code bulk-pipeline}
 * @param parameters in words: tiles, stages, threads, blocks
 */
public record RivalKernel(String name, String mechanism, String parameters) {

    public RivalKernel {
        NotNull.all("name, mechanism, parameters", name, mechanism, parameters);
    }
}
