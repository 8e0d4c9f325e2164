package dev.tilewright.gpu;

import dev.tilewright.BadRequestException;
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
record HostMemory(long available, long total) {
    private static final long NOT_WORTH_ASKING = 64L << 20;
    private static final Path MEMINFO = Path.of("/proc/meminfo");

    /** What it has now; empty where that is not told. */
    static Optional<HostMemory> now() {
        return of(MEMINFO);
    }

    static Optional<HostMemory> of(Path meminfo) {
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

    /**
     * Refuses more than is available: memory is given where there is none, and taken, with the process, when it is used.
     *
     * @throws BadRequestException if there is less
     */
    static void requireAvailable(long bytes) {
        if (bytes > NOT_WORTH_ASKING && now().filter(memory -> memory.available < bytes).isPresent()) {
            throw tooMuch(bytes, null);
        }
    }

    /** What says that the host does not have so much. @param cause null for none */
    static BadRequestException tooMuch(long bytes, Throwable cause) {
        return new BadRequestException("a buffer of " + bytes + " bytes does not fit the memory of this host"
                + words() + ": take smaller pieces, or a machine with more", cause);
    }

    /** {@code 5 of its 8 bytes available}, or nothing that is known. */
    static String words() {
        return now().map(memory -> ", which has " + memory.available + " of its " + memory.total + " bytes available")
                .orElse("");
    }
}
