package dev.tilewright.gpu.compile;

/**
 * The properties of a loaded kernel, as the driver reports them.
 *
 * @param registersPerThread 32-bit registers of each thread
 * @param localBytesPerThread local memory of each thread, in bytes: more than 0 where registers were spilled, or arrays
 *     are indexed by what is not known
 * @param staticSharedBytes shared memory of a block that the source declares, in bytes; what a launch asks for comes on
 *         top
 * @param mostThreadsPerBlock the largest block that can be launched
 */
public record KernelAttributes(int registersPerThread, int localBytesPerThread, int staticSharedBytes,
        int mostThreadsPerBlock) { }
