package dev.tilewright.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** How long the parts of one command took, from the start of the process on. */
final class Stopwatch {
    private final Map<String, Double> parts = new LinkedHashMap<>();
    private final Instant start = ProcessHandle.current().info().startInstant().orElse(Instant.now());
    private long last = System.nanoTime();

    Stopwatch() {
        parts.put("start", millis(Duration.between(start, Instant.now()).toNanos()));
    }

    /** Ends a part. */
    void mark(String part) {
        long now = System.nanoTime();
        parts.put(part, millis(now - last));
        last = now;
    }

    /** Milliseconds of each part so far: {@code start} is from the start of the process to the verb. */
    Map<String, Double> milliseconds() {
        return parts;
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e4) / 100.0;
    }
}
