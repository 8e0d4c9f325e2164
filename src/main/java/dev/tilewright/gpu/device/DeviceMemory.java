package dev.tilewright.gpu.device;

/**
 * How much memory a device has.
 *
 * @param free bytes that are unused now, in this process or another
 * @param total bytes in all
 */
public record DeviceMemory(long free, long total) { }
