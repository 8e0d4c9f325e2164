package dev.tilewright.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C during long work whose result so far is worth keeping: the work sees it and ends itself, and the process does
 * not end before that, some seconds at most.
 */
public final class Interruption implements AutoCloseable {
    private static final long MOST_SECONDS = 20;

    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean requested;
    private final Thread hook = new Thread(this::request, "tilewright-interrupted");

    public Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Whether to end the work now. */
    public boolean isRequested() {
        return requested;
    }

    private void request() {
        requested = true;
        try {
            ended.await(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The work has ended, and kept what it has. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs, and goes on.
        }
    }
}
