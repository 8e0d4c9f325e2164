package dev.tilewright.gpu.cuda;

import java.util.Objects;

/**
 * What a device did not survive.
 *
 * @param launch the launch that did it, as {@code kernel 'axpy', 2 blocks of 32 threads}; empty if it was none
 * @param cause what it did, in its message
 */
public record DeviceLoss(String launch, RuntimeException cause) {
    public DeviceLoss {
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(cause, "cause");
    }
}
