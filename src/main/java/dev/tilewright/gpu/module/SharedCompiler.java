package dev.tilewright.gpu.module;

import dev.tilewright.Progress;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.trace.Log;

/** The compiler of all GPUs of the process that have none of their own, with the user's cache. */
public final class SharedCompiler {
    /** Guarded by the class. */
    private static KernelCompiler compiler;

    private SharedCompiler() { }

    /** It is found with the first kernel. */
    public static synchronized KernelCompiler get() {
        if (compiler == null) {
            compiler = KernelCompiler.cachingForUser(Progress.NONE, Log::warning);
        }
        return compiler;
    }
}
