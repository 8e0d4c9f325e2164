package dev.tilewright.gpu.nvrtc;

/**
 * A compiler's process was ended while it compiled. The message goes on after "because it": {@code had taken 300 s}.
 */
public final class CompilerStopped extends RuntimeException {

    public CompilerStopped(String why) {
        super(why);
    }
}
