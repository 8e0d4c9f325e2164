package dev.tilewright.gpu.nvrtc;

import java.util.List;

/** One libnvrtc, wherever it runs. Safe for use by several threads at once. */
public interface Compiler {

    /**
     * The result of a compilation with its log.
     *
     * @param result an {@code nvrtcResult}; 0 is success
     * @param reason the result's name, as {@code nvrtcGetErrorString} gives it
     * @param log the compiler's output: complaints and warnings; may be empty
     * @param cubin the device code if the result is success, else empty
     * @param ptx the PTX as far as it got: there also when only the assembler complained, else empty
     */
    record Outcome(int result, String reason, String log, byte[] cubin, String ptx) { }

    /** The version that the library reports. */
    NvrtcVersion version();

    /** Compute capabilities that it compiles for, times ten: 80, 90, 100. */
    List<Integer> supportedArchitectures();

    /**
     * Compiles one program.
     *
     * @param source CUDA C++
     * @param name the file name that complaints give
     * @param options as on NVRTC's command line
     * @throws CompilerStopped if it took more than it may, or the calling thread was interrupted, where it runs in a
     *     process of its own
     * @throws CompilerCrash if the compiler ended in the midst of it, where it runs in a process of its own
     */
    Outcome compile(String source, String name, List<String> options);
}
