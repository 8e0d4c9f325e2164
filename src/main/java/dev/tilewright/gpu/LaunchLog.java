package dev.tilewright.gpu;

import java.util.ArrayList;
import java.util.List;

/**
 * The last launches into one stream that are not known to have ended: when a fault comes to light, one of them has
 * caused it. Noting one allocates nothing. Threads that launch into one stream at the same moment may overwrite one
 * another's note, never more.
 */
final class LaunchLog {
    private static final int KEPT = 32;

    private final String stream;
    private final boolean blocking;
    private final KernelLaunch[] launches = new KernelLaunch[KEPT];
    private volatile long started;
    private volatile long ended;

    /** @param blocking whether the legacy default stream waits for it */
    LaunchLog(String stream, boolean blocking) {
        this.stream = stream;
        this.blocking = blocking;
    }

    /** The stream's name. */
    String stream() {
        return stream;
    }

    boolean isBlocking() {
        return blocking;
    }

    /** A launch was started. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void started(KernelLaunch launch) {
        long number = started;
        launches[(int) (number % KEPT)] = launch;
        started = number + 1;
    }

    /** How many were started so far. */
    long mark() {
        return started;
    }

    /** What was started before the mark has ended. */
    void endedUpTo(long mark) {
        ended = Math.max(ended, mark);
    }

    /** Those that are not known to have ended, the oldest first, in words. */
    List<String> unfinished() {
        long to = started;
        long from = Math.max(ended, to - KEPT);
        List<String> words = new ArrayList<>();
        if (from > ended) {
            words.add((from - ended) + " earlier launches on " + stream);
        }
        for (long number = from; number < to; number++) {
            KernelLaunch launch = launches[(int) (number % KEPT)];
            if (launch != null) {
                words.add(launch.describe() + " on " + stream);
            }
        }
        return words;
    }
}
