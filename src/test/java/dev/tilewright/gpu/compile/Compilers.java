package dev.tilewright.gpu.compile;

import dev.tilewright.gpu.cache.KernelCache;

/** Compilers for tests of other packages. */
public final class Compilers {

    private Compilers() { }

    /** Whether there is an NVRTC on this machine. */
    public static boolean isThere(Nvrtc nvrtc) {
        return nvrtc.search().found().isPresent();
    }

    public static KernelCompiler of(Nvrtc nvrtc, KernelCache cache) {
        return new KernelCompiler(nvrtc, cache);
    }
}
