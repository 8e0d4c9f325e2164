package dev.tilewright.gpu.compile;

import dev.tilewright.gpu.nvrtc.CompilerCrash;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import dev.tilewright.ptx.Target;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.lang3.Validate;

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

    CompilationException(String kernelName, Target target, List<String> options, String nvrtcVersion,
            String reason, String log, String complaints) {
        super("NVRTC " + nvrtcVersion + " did not compile kernel '" + kernelName + "' for " + target
                + (options.isEmpty() ? "" : " with " + String.join(" ", options))
                + " (" + reason + "):\n" + complaints);
        this.kernelName = kernelName;
        this.target = target;
        this.options = List.copyOf(Validate.noNullElements(options, "options: element %d is null"));
        this.nvrtcVersion = nvrtcVersion;
        this.log = log;
    }

    /** NVRTC crashed. */
    CompilationException(String kernelName, Target target, List<String> options, String nvrtcVersion, Path file,
            CompilerCrash crash) {
        super("NVRTC " + nvrtcVersion + " (" + file + ") crashed when it compiled kernel '" + kernelName + "' for "
                + target + (options.isEmpty() ? "" : " with " + String.join(" ", options)) + ": its process "
                + crash.getMessage() + "; another NVRTC may compile it (TILEWRIGHT_NVRTC)", crash);
        this.kernelName = kernelName;
        this.target = target;
        this.options = List.copyOf(Validate.noNullElements(options, "options: element %d is null"));
        this.nvrtcVersion = nvrtcVersion;
        this.log = "";
    }

    /** NVRTC was not let finish. */
    CompilationException(String kernelName, Target target, List<String> options, String nvrtcVersion,
            CompilerStopped stopped) {
        super("NVRTC " + nvrtcVersion + " was stopped when it compiled kernel '" + kernelName + "' for " + target
                + (options.isEmpty() ? "" : " with " + String.join(" ", options)) + ", because it "
                + stopped.getMessage(), stopped);
        this.kernelName = kernelName;
        this.target = target;
        this.options = List.copyOf(Validate.noNullElements(options, "options: element %d is null"));
        this.nvrtcVersion = nvrtcVersion;
        this.log = "";
    }

    /** The name of the kernel that did not compile. */
    public String kernelName() {
        return kernelName;
    }

    /** What it was compiled for. */
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
