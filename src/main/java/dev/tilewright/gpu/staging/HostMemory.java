package dev.tilewright.gpu.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How much memory the host has, as Linux tells in {@code /proc/meminfo}: for messages.
 *
 * @param available bytes that new work can have without anything being swapped out
 * @param total bytes in all
 */
public record HostMemory(long available, long total) {
    private static final Path MEMINFO = Path.of("/proc/meminfo");

    /** What it has now; empty where that is not told. */
    public static Optional<HostMemory> now() {
        return of(MEMINFO);
    }

    public static Optional<HostMemory> of(Path meminfo) {
        long available = -1;
        long total = -1;
        try {
            for (String line : Files.readAllLines(meminfo)) {
                // MemTotal:       65536000 kB
                String[] words = line.split(" +");
                switch (words[0]) {
                    case "MemTotal:" -> total = Long.parseLong(words[1]) << 10;
                    case "MemAvailable:" -> available = Long.parseLong(words[1]) << 10;
                    default -> { }
                }
            }
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
        return available < 0 || total < 0 ? Optional.empty() : Optional.of(new HostMemory(available, total));
    }

    /** {@code 5 of its 8 bytes available}, or nothing that is known. */
    public static String words() {
        return now().map(memory -> ", which has " + memory.available + " of its " + memory.total + " bytes available")
                .orElse("");
    }
}
