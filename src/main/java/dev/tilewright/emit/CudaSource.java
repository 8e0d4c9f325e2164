package dev.tilewright.emit;

import dev.tilewright.ptx.Target;

/**
 * CUDA C++ for one kernel: no header is included, and the kernel has C linkage, so that its name is not mangled.
 *
 * @param kernelName the name to look the kernel up by
 * @param text the whole source
 * @param minimumTarget the least capable target that the kernel compiles for
 */
public record CudaSource(String kernelName, String text, Target minimumTarget) {
}
