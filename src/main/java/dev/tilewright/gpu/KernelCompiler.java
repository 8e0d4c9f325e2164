package dev.tilewright.gpu;

import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.ptx.Target;
import java.util.List;

/**
 * The compiler and its cache as one: what a launcher asks for device code. A kernel that is in the cache costs no
 * loading of NVRTC.
 *
 * @param nvrtc compiles what the cache does not have
 * @param cache keeps what was compiled
 */
public record KernelCompiler(Nvrtc nvrtc, KernelCache cache) {

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
        String key = KernelCache.key(source, options, target, nvrtc.identity());
        return cache.cubin(key, () -> nvrtc.compile(source, kernelName, target, options));
    }
}
