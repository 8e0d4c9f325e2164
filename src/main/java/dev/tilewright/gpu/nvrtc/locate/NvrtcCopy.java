package dev.tilewright.gpu.nvrtc.locate;

import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A libnvrtc that lies on this machine, whether it will be used or not.
 *
 * @param file where the rule found it
 * @param rule the first rule that leads to it
 * @param version what its files' names say; empty if they say nothing
 */
public record NvrtcCopy(Path file, NvrtcRule rule, Optional<NvrtcVersion> version) { }
