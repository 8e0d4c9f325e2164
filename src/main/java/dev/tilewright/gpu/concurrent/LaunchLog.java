package dev.tilewright.gpu.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The last launches into one stream that are not known to have ended: when a fault comes to light, one of them has
 * caused it. Noting one allocates nothing, and costs neither a fence nor, of a launch that is started again and again,
 * a store to an array of references. Threads that launch into one stream at the same moment may overwrite one another's
 * note, never more.
 */
public final class LaunchLog {
    /** The system property that makes every launch wait for its end. */
    public static final String BLOCKING_PROPERTY = "tilewright.launch.blocking";

    private static final int KEPT = 32;
    /** Counters lie this far from what other threads write: two cache lines. */
    private static final int PADDING = 16;
    private static final int STARTED = PADDING;
    private static final int ENDED = STARTED + 1;
    private static final VarHandle COUNTERS = MethodHandles.arrayElementVarHandle(long[].class);

    private final String stream;
    private final boolean blocking;
    private final Object[] launches = new Object[KEPT];
    private final long[] counters = new long[2 * PADDING + 2];

    /** @param blocking whether the legacy default stream waits for it */
    public LaunchLog(String stream, boolean blocking) {
        this.stream = stream;
        this.blocking = blocking;
    }

    /** The stream's name. */
    public String stream() {
        return stream;
    }

    public boolean isBlocking() {
        return blocking;
    }

    /** A launch or a graph was started, whose text names it. */
    public void started(Object launch) {
        long number = counters[STARTED];
        int slot = (int) number & KEPT - 1;
        if (launches[slot] != launch) {
            launches[slot] = launch;
        }
        COUNTERS.setRelease(counters, STARTED, number + 1);
    }

    /** How many were started so far. */
    public long mark() {
        return (long) COUNTERS.getAcquire(counters, STARTED);
    }

    /** What was started before the mark has ended. */
    public synchronized void endedUpTo(long mark) {
        counters[ENDED] = Math.max(counters[ENDED], mark);
    }

    private synchronized long ended() {
        return counters[ENDED];
    }

    /** Nothing more is started: what is kept are words, so that launches and their buffers can go. */
    public void retire() {
        for (int i = 0; i < KEPT; i++) {
            if (launches[i] != null) {
                launches[i] = launches[i].toString();
            }
        }
    }

    /** The launches that are not known to have ended, the oldest first, in words. */
    public List<String> unfinished() {
        long to = mark();
        long ended = ended();
        long from = Math.max(ended, to - KEPT);
        List<String> words = new ArrayList<>();
        if (from > ended) {
            words.add((from - ended) + " earlier launches on " + stream);
        }
        for (long number = from; number < to; number++) {
            Object launch = launches[(int) number & KEPT - 1];
            if (launch != null) {
                words.add(launch + " on " + stream);
            }
        }
        return words;
    }
}
