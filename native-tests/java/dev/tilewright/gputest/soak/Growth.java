package dev.tilewright.gputest.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether memory grew from the first reading, after which everything is warm, to the last. What may be between two
 * readings though nothing leaks, in bytes, is far below one byte a launch of a million for the heap and the device;
 * the process's own size breathes more, with the C library's arenas, the compiler's and the driver's pools.
 */
final class Growth {
    private static final long RESIDENT = 48L << 20;
    private static final long HEAP = 1L << 20;
    /** The driver takes device memory from the system in pieces of 2 MiB. */
    private static final long DEVICE = 2L << 20;

    private Growth() {
    }

    /** The noise that is allowed, in words. */
    static String allowed() {
        return String.format(Locale.ROOT, "may grow from first to last: host %.0f MiB, heap %.0f MiB, device %.0f MiB",
                Reading.mib(RESIDENT), Reading.mib(HEAP), Reading.mib(DEVICE));
    }

    /** What grew by more than that; empty if nothing did. */
    static List<String> of(List<Reading> readings) {
        Reading first = readings.getFirst();
        Reading last = readings.getLast();
        List<String> grown = new ArrayList<>();
        add(grown, "host memory", last.resident() - first.resident(), RESIDENT);
        add(grown, "the Java heap", last.heap() - first.heap(), HEAP);
        add(grown, "device memory", first.deviceFree() - last.deviceFree(), DEVICE);
        return grown;
    }

    private static void add(List<String> grown, String what, long bytes, long allowed) {
        if (bytes > allowed) {
            grown.add(String.format(Locale.ROOT, "%s grew by %.1f MiB from the first reading to the last", what,
                    Reading.mib(bytes)));
        }
    }
}
