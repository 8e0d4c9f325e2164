package dev.tilewright.cli.terminal;

import java.util.LinkedHashMap;
import java.util.Map;

/** How long the parts of one command took, from the start of the verb on. */
public final class Stopwatch {
    private final Map<String, Double> parts = new LinkedHashMap<>();
    private long last = System.nanoTime();

    /** Ends a part. */
    public void mark(String part) {
        long now = System.nanoTime();
        parts.put(part, millis(now - last));
        last = now;
    }

    /** Milliseconds of each part so far. */
    public Map<String, Double> milliseconds() {
        return parts;
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e4) / 100.0;
    }
}
