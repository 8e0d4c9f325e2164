package dev.tilewright.gpu.compile;

import dev.tilewright.gpu.nvrtc.CompilerCrash;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import dev.tilewright.ptx.Target;
import java.nio.file.Path;
import java.util.List;

/**
 * NVRTC did not compile a kernel. The message says for what it was asked and shows, for each complaint, the numbered
 * lines around it: of the source, or of the PTX where it was the assembler that complained. Or NVRTC crashed, or was
 * stopped (by a limit of time or memory, or an interrupt): then the message is one sentence, the cause says how, and
 * the log is empty.
 */
public final class CompilationException extends RuntimeException {

    private final String kernelName;
    private final Target target;
    private final List<String> options;
    private final String nvrtcVersion;
    private final String log;

    private CompilationException(String kernelName, Target target, List<String> options, String nvrtcVersion,
            String log, String message, Throwable cause) {
        super(message, cause);
        this.kernelName = kernelName;
        this.target = target;
        this.options = List.copyOf(options);
        this.nvrtcVersion = nvrtcVersion;
        this.log = log;
    }

    /** @param reason in brackets behind what was asked @param complaints on lines of their own */
    static CompilationException complained(String kernelName, Target target, List<String> options,
            String nvrtcVersion, String reason, String log, String complaints) {
        return new CompilationException(kernelName, target, options, nvrtcVersion, log, "NVRTC " + nvrtcVersion
                + " did not compile " + asked(kernelName, target, options) + " (" + reason + "):\n" + complaints, null);
    }

    static CompilationException crashed(String kernelName, Target target, List<String> options, String nvrtcVersion,
            Path file, CompilerCrash crash) {
        return new CompilationException(kernelName, target, options, nvrtcVersion, "", "NVRTC " + nvrtcVersion + " ("
                + file + ") crashed when it compiled " + asked(kernelName, target, options) + ": its process "
                + crash.getMessage() + "; another NVRTC may compile it (TILEWRIGHT_NVRTC)", crash);
    }

    static CompilationException stopped(String kernelName, Target target, List<String> options, String nvrtcVersion,
            CompilerStopped stopped) {
        return new CompilationException(kernelName, target, options, nvrtcVersion, "", "NVRTC " + nvrtcVersion
                + " was stopped when it compiled " + asked(kernelName, target, options) + ", because it "
                + stopped.getMessage(), stopped);
    }

    private static String asked(String kernelName, Target target, List<String> options) {
        return "kernel '" + kernelName + "' for " + target
                + (options.isEmpty() ? "" : " with " + String.join(" ", options));
    }

    /** The name of the kernel that did not compile. */
    public String kernelName() {
        return kernelName;
    }

    /** The target that it was compiled for. */
    public Target target() {
        return target;
    }

    /** The options as they were asked for, without the one for the architecture. */
    public List<String> options() {
        return options;
    }

    /** The compiler's version: {@code 12.9}. */
    public String nvrtcVersion() {
        return nvrtcVersion;
    }

    /** Everything that the compiler said, warnings included. */
    public String log() {
        return log;
    }
}
