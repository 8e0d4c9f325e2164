package dev.tilewright.gpu;

import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.host.HostEnvironment;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The compiler and its cache as one: what a launcher asks for device code. A kernel that is in the cache costs no
 * loading of NVRTC. Safe for use by several threads at once.
 */
public final class KernelCompiler {
    private final Nvrtc nvrtc;
    private final KernelCache cache;

    /**
     * @param nvrtc compiles what the cache does not have
     * @param cache keeps what was compiled
     */
    KernelCompiler(Nvrtc nvrtc, KernelCache cache) {
        this.nvrtc = nvrtc;
        this.cache = cache;
    }

    /**
     * A compiler that keeps kernels in the user's cache: below TILEWRIGHT_CACHE, else in the user's cache folder.
     *
     * @param warnings is told, at most once, that kernels cannot be kept, and why
     */
    public static KernelCompiler cachingForUser(Nvrtc nvrtc, Consumer<String> warnings) {
        Objects.requireNonNull(nvrtc, "nvrtc");
        Objects.requireNonNull(warnings, "warnings");
        return new KernelCompiler(nvrtc, KernelCache.ofUser(HostEnvironment.current(), warnings));
    }

    /** What compiles. */
    public Nvrtc nvrtc() {
        return nvrtc;
    }

    /**
     * A kernel's device code, from the cache or compiled now.
     *
     * @param source CUDA C++
     * @param kernelName names the source in complaints
     * @param target the architecture that the code is for
     * @param options further NVRTC options
     * @throws CompilationException if the source does not compile
     * @throws dev.tilewright.MissingRequirementException if NVRTC does not know the target, or cannot be loaded
     */
    public byte[] cubin(String source, String kernelName, Target target, List<String> options) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(kernelName, "kernelName");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(options, "options");
        String key = KernelCache.key(source, options, target, nvrtc.identity());
        return cache.cubin(key, () -> nvrtc.compile(source, kernelName, target, options));
    }
}
