package dev.tilewright.gpu.compile;

import dev.tilewright.ptx.Target;
import java.util.List;

/**
 * An NVRTC in another process, which compiles for this one: that of a cluster's driver, so that a kernel is compiled
 * once for all its machines. Safe for use by several threads at once.
 */
public interface RemoteCompiler {
    /** The {@link Nvrtc#version()} of what compiles, by which sources are spelled. */
    String version();

    /** The {@link Nvrtc#identity()} of what compiles. */
    String identity();

    /**
     * Compiles as {@link Nvrtc#compilation} does.
     *
     * @throws RuntimeException if it does not, for whatever reason
     */
    Compilation compile(String source, String kernelName, Target target, List<String> options);
}
