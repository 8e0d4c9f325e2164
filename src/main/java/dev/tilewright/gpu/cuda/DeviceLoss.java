package dev.tilewright.gpu.cuda;

import dev.tilewright.NotNull;

/**
 * The fault that lost a device.
 *
 * @param launch the launch that did it, as {@code kernel 'axpy', 2 blocks of 32 threads}; empty if it was none
 * @param cause what it did, in its message
 */
public record DeviceLoss(String launch, RuntimeException cause) {
    public DeviceLoss {
        NotNull.all("launch, cause", launch, cause);
    }
}
