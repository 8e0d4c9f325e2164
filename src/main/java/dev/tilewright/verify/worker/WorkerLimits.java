package dev.tilewright.verify.worker;

import java.time.Duration;

/**
 * How long a worker may take.
 *
 * @param device a case, from when it has the device
 * @param whole a case, from when it has begun: building, compiling and the reference included, and waiting for the
 *         device
 * @param start the process, until it takes cases
 * @param threads 0 on a GPU, where time goes by the clock. With the reference in its place a case takes as long as the
 *         machine is busy with other things: then its time is what the process has computed since, over these threads
 */
public record WorkerLimits(Duration device, Duration whole, Duration start, int threads) {
    private static final int WHOLE = 12;
    private static final Duration START = Duration.ofMinutes(2);

    /** What goes with a limit of a case on a GPU. */
    public static WorkerLimits onGpu(Duration device) {
        return ofTheReference(device, 0);
    }

    /** What goes with a limit of a case on the reference. @param threads of a worker */
    public static WorkerLimits ofTheReference(Duration device, int threads) {
        return new WorkerLimits(device, device.multipliedBy(WHOLE), START, threads);
    }
}
