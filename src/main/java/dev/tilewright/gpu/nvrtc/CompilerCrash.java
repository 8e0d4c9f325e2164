package dev.tilewright.gpu.nvrtc;

/**
 * A compiler's process ended while it compiled. The message goes on after "its process": {@code ended with signal 6}.
 */
public final class CompilerCrash extends RuntimeException {

    public CompilerCrash(String how) {
        super(how);
    }
}
