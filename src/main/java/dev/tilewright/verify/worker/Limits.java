package dev.tilewright.verify.worker;

import java.time.Duration;

/**
 * How long a worker may take.
 *
 * @param device a case, from when it has the device
 * @param whole a case, from when it has begun: building, compiling and the reference included, and waiting for the
 *         device
 * @param start the process, until it takes cases
 */
public record Limits(Duration device, Duration whole, Duration start) {
    private static final int WHOLE = 12;
    private static final Duration START = Duration.ofMinutes(2);

    /** What goes with a limit of a case on the device. */
    public static Limits of(Duration device) {
        return new Limits(device, device.multipliedBy(WHOLE), START);
    }
}
