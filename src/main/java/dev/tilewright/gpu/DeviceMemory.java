package dev.tilewright.gpu;

/**
 * How much memory a device has.
 *
 * @param free bytes that nobody uses now, in this process or another
 * @param total bytes in all
 */
public record DeviceMemory(long free, long total) {
}
