package dev.tilewright.bench.runtime;

import java.util.concurrent.atomic.AtomicInteger;

/** Lets threads go at the same moment, round by round, without sleeping: as the rivals' does. */
final class SpinBarrier {
    private final int threads;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger round = new AtomicInteger();
    private volatile boolean broken;

    SpinBarrier(int threads) {
        this.threads = threads;
    }

    void await() {
        int now = round.get();
        if (waiting.incrementAndGet() == threads) {
            waiting.set(0);
            round.incrementAndGet();
        } else {
            while (round.get() == now) {
                if (broken) {
                    throw new IllegalStateException("another thread has failed");
                }
                Thread.onSpinWait();
            }
        }
    }

    /** Lets go of all that wait, with an exception. */
    void fail() {
        broken = true;
    }
}
