package dev.tilewright.gpu.nvrtc;

import java.nio.file.Path;
import java.util.List;

/** NVRTC in this process, on threads with deep stacks. A crash of the compiler ends this process. */
public record InProcess(LibNvrtc library) implements Compiler {

    /** @throws dev.tilewright.MissingRequirementException as {@link LibNvrtc#open} */
    public static InProcess open(Path file) {
        return new InProcess(LibNvrtc.open(file));
    }

    @Override
    public NvrtcVersion version() {
        return library.version();
    }

    @Override
    public List<Integer> supportedArchitectures() {
        return library.supportedArchitectures();
    }

    @Override
    public Outcome compile(String source, String name, List<String> options) {
        return DeepStack.call(() -> library.compile(source, name, options));
    }
}
