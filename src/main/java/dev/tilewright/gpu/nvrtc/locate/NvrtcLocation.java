package dev.tilewright.gpu.nvrtc.locate;

import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.nio.file.Path;

/**
 * An NVRTC that was found.
 *
 * @param file the libnvrtc to load
 * @param rule the rule that led to it
 * @param version its version, as the library reports it
 * @param bytes the library's size
 */
public record NvrtcLocation(Path file, NvrtcRule rule, NvrtcVersion version, long bytes) {

    /**
     * What identifies this compiler in a cache's key: the version, and the size because NVRTC does not report the
     * patch release that a fixed compiler differs by.
     */
    public String identity() {
        return version + "/" + bytes;
    }

    @Override
    public String toString() {
        return "NVRTC " + version + ", " + file + " (" + rule + ")";
    }
}
