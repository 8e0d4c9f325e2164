package dev.tilewright.gputest.soak;

import dev.tilewright.gpu.Gpu;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * How much memory is in use, when nothing is under way: bytes.
 *
 * @param launches that were made so far
 * @param resident of the process, on the host (VmRSS of /proc/self/status; 0 where there is none)
 * @param heap live Java objects, after garbage collection
 * @param deviceFree what the driver says that the device has left
 */
record Reading(long launches, long resident, long heap, long deviceFree) {
    private static final Path STATUS = Path.of("/proc/self/status");
    /** Garbage collections after which cleaners have run and what they let go of is gone. */
    private static final int COLLECTIONS = 3;

    static Reading of(Gpu gpu, long launches) {
        for (int i = 0; i < COLLECTIONS; i++) {
            collect();
        }
        Runtime runtime = Runtime.getRuntime();
        return new Reading(launches, residentNow(), runtime.totalMemory() - runtime.freeMemory(), gpu.memory().free());
    }

    /** Asks for a collection, waits until one has been, and gives cleaners time to run. */
    private static void collect() {
        Object mark = new Object();
        WeakReference<Object> gone = new WeakReference<>(mark);
        Reference.reachabilityFence(mark);
        mark = null;
        try {
            for (int i = 0; i < 100 && gone.get() != null; i++) {
                System.gc();
                Thread.sleep(10);
            }
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long residentNow() {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        try {
            return Files.readAllLines(STATUS).stream().filter(l -> l.startsWith("VmRSS:"))
                    .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,11d launches: host %.1f MiB, Java heap %.2f MiB, device free %.1f MiB",
                launches, mib(resident), mib(heap), mib(deviceFree));
    }

    static double mib(long bytes) {
        return bytes / (double) (1 << 20);
    }
}
