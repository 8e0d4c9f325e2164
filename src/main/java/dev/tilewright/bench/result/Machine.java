package dev.tilewright.bench.result;

import dev.tilewright.NotNull;

/**
 * What was measured on.
 *
 * @param gpu its name; empty where none was used
 * @param target what kernels were compiled for, such as {@code sm_90a}; empty where there is no GPU
 * @param multiprocessors how many the GPU has
 * @param memoryBytes of the GPU
 * @param ratedGigabytesPerSecond what its memory is rated at, clock times width times two (CUDA device attributes); 0
 *         if unknown
 * @param cacheBytes of its L2
 * @param driver the NVIDIA driver's version, such as {@code 580.95.05}; empty if unknown
 * @param cuda the newest CUDA that the driver knows, such as {@code 13.0}
 * @param nvrtc the version of the compiler that was found; empty if there was none
 * @param before the GPU's clocks at the beginning
 * @param after and at the end
 * @param processor of the host
 * @param cores of the host that this process may use
 * @param system the operating system and its version
 * @param java the virtual machine and its version
 * @param version this library's
 * @param revision of its sources; empty if unknown
 */
public record Machine(String gpu, String target, int multiprocessors, long memoryBytes, double ratedGigabytesPerSecond,
        long cacheBytes, String driver, String cuda, String nvrtc, Clocks before, Clocks after, String processor,
        int cores, String system, String java, String version, String revision) {

    public Machine {
        NotNull.all("gpu, target, driver, cuda, nvrtc, before, after, processor, system, java, version, revision",
                gpu, target, driver, cuda, nvrtc, before, after, processor, system, java, version, revision);
    }

    /** This machine with its clocks at the end of the run. */
    public Machine ending(Clocks clocks) {
        return new Machine(gpu, target, multiprocessors, memoryBytes, ratedGigabytesPerSecond, cacheBytes, driver, cuda,
                nvrtc, before, clocks, processor, cores, system, java, version, revision);
    }
}
