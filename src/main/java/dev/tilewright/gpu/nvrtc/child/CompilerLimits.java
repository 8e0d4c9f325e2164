package dev.tilewright.gpu.nvrtc.child;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.io.host.HostEnvironment;
import java.time.Duration;
import java.util.Optional;

/**
 * What one compilation may take before its process is ended: time, by property {@code tilewright.nvrtc.seconds} or
 * variable TILEWRIGHT_NVRTC_SECONDS, 300 without; and memory, by {@code tilewright.nvrtc.memory} or
 * TILEWRIGHT_NVRTC_MEMORY ({@code 6GiB}), 4 GiB without.
 */
record CompilerLimits(Duration time, long bytes) {
    static final CompilerLimits DEFAULT = new CompilerLimits(Duration.ofSeconds(300), 4L << 30);

    private static final String SECONDS = "tilewright.nvrtc.seconds";
    private static final String MEMORY = "tilewright.nvrtc.memory";
    private static final int MOST_DIGITS = 6;

    /** @throws BadRequestException if a setting is no number of seconds, or of bytes */
    static CompilerLimits of(HostEnvironment environment) {
        Optional<HostEnvironment.Setting> seconds = environment.setting(SECONDS, "TILEWRIGHT_NVRTC_SECONDS");
        Optional<HostEnvironment.Setting> memory = environment.setting(MEMORY, "TILEWRIGHT_NVRTC_MEMORY");
        return new CompilerLimits(seconds.map(CompilerLimits::seconds).orElse(DEFAULT.time),
                memory.map(CompilerLimits::bytes).orElse(DEFAULT.bytes));
    }

    private static Duration seconds(HostEnvironment.Setting setting) {
        String text = setting.value();
        if (!text.matches("[0-9]{1," + MOST_DIGITS + "}") || Integer.parseInt(text) == 0) {
            throw new BadRequestException(setting.name() + " is '" + text + "', and must be a number of seconds from 1 "
                    + "to 999999");
        }
        return Duration.ofSeconds(Integer.parseInt(text));
    }

    private static long bytes(HostEnvironment.Setting setting) {
        return ByteSize.parse(setting.value()).filter(bytes -> bytes > 0).orElseThrow(() -> new BadRequestException(
                setting.name() + " is '" + setting.value() + "', and must be memory such as 6GiB"));
    }

    String tooLong() {
        return "had taken " + time.toSeconds() + " s, its limit (" + SECONDS + ")";
    }

    String tooLarge() {
        return "had taken " + ByteSize.of(bytes) + " of memory, its limit (" + MEMORY + ")";
    }
}
