package dev.tilewright.gpu.emulation;

/** Something that a GPU does not survive, found while it did its work: a CUresult, and what happened in words. */
final class DeviceFault extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int result;

    DeviceFault(int result, String message) {
        super(message);
        this.result = result;
    }

    int result() {
        return result;
    }
}
