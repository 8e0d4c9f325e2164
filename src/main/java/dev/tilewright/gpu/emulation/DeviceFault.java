package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DeviceLoss;

/** Something that a GPU does not survive, found while it did its work: a CUresult, and what happened in words. */
final class DeviceFault extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int result;
    private final String launch;

    DeviceFault(int result, String message) {
        this(result, "", message, null);
    }

    /** One of a launch. @param cause what the reference executor says; null for what it was not asked for */
    DeviceFault(int result, String launch, String message, RuntimeException cause) {
        super(message, cause);
        this.result = result;
        this.launch = launch;
    }

    DeviceLoss loss() {
        return new DeviceLoss(launch, getCause() instanceof RuntimeException reference ? reference : this);
    }

    int result() {
        return result;
    }
}
