package dev.tilewright.emit;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Target;

/**
 * CUDA C++ for one kernel: no header is included, and the kernel has C linkage, so that its name is not mangled.
 *
 * @param kernelName the name to look the kernel up by
 * @param text the whole source
 * @param gate the PTX versions and targets that the kernel compiles for
 */
public record CudaSource(String kernelName, String text, Gate gate) {

    /** The least capable target that the kernel compiles for. */
    public Target minimumTarget() {
        return gate.minimumTarget();
    }
}
