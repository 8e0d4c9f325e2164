package dev.tilewright.gpu.nvrtc;

import dev.tilewright.gpu.cuda.LibCuda;
import java.util.Optional;

/**
 * The version that {@code nvrtcVersion} reports: that of the CUDA toolkit the compiler came with, such as 12.9.
 *
 * @param major 12, 13, ...
 * @param minor 0, 1, ...
 */
public record NvrtcVersion(int major, int minor) implements Comparable<NvrtcVersion> {

    /** The oldest that knows everything Tilewright emits: {@code sm_90a} came with CUDA 12.0. */
    public static final NvrtcVersion OLDEST = new NvrtcVersion(12, 0);

    /**
     * Reads {@code 12.9}.
     *
     * @throws IllegalArgumentException if the text is of another form
     */
    public static NvrtcVersion parse(String text) {
        int dot = text.indexOf('.');
        if (dot < 0) {
            throw new IllegalArgumentException("'" + text + "' is not a version such as 12.9");
        }
        return new NvrtcVersion(Integer.parseInt(text.substring(0, dot)), Integer.parseInt(text.substring(dot + 1)));
    }

    /** The newest CUDA that the driver of this machine knows; empty where there is no driver. */
    public static Optional<NvrtcVersion> ofDriver() {
        int version = LibCuda.driverVersion();
        return version == 0 ? Optional.empty() : Optional.of(new NvrtcVersion(version / 1000, version % 1000 / 10));
    }

    @Override
    public int compareTo(NvrtcVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
