package dev.tilewright.gpu.cache;

/**
 * A compiler whose kernels are in a cache: where none is installed, they can be used all the same.
 *
 * @param version its version, which says what source it takes: {@code 12.9}
 * @param identity what stands for it in keys
 */
public record KnownCompiler(String version, String identity) { }
