package dev.tilewright.bench.rival;

import java.util.Objects;

/**
 * One of the kernels in C++.
 *
 * @param name such as {@code bulk-pipeline-8k-4s}
 * @param mechanism those that do the same in the same way have the same: {@code bulk-pipeline}
 * @param parameters in words: tiles, stages, threads, blocks
 */
public record RivalKernel(String name, String mechanism, String parameters) {

    public RivalKernel {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(mechanism, "mechanism");
        Objects.requireNonNull(parameters, "parameters");
    }
}
