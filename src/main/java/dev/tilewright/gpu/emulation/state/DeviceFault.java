package dev.tilewright.gpu.emulation.state;

import dev.tilewright.gpu.cuda.DeviceLoss;

/** A fault that loses the GPU, found while it did its work: a CUresult, and what happened in words. */
public final class DeviceFault extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int result;
    private final String launch;

    public DeviceFault(int result, String message) {
        this(result, "", message, null);
    }

    /** One of a launch. @param cause what the reference executor says; null for what it was not asked for */
    public DeviceFault(int result, String launch, String message, RuntimeException cause) {
        super(message, cause);
        this.result = result;
        this.launch = launch;
    }

    public DeviceLoss loss() {
        return new DeviceLoss(launch, getCause() instanceof RuntimeException reference ? reference : this);
    }

    public int result() {
        return result;
    }
}
