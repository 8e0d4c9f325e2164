package dev.tilewright.verify.worker;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Who has had the device, in order, until it ended. A GPU's fault is noticed by the next caller, be it only to load a
 * kernel: whose fault it is, is the first here.
 */
final class DeviceTurns {
    private final Set<Long> order = new LinkedHashSet<>();

    /** A case has the device. */
    synchronized void took(long number) {
        order.add(number);
    }

    /** A case has ended, and the device was well. */
    synchronized void ended(long number) {
        order.remove(number);
        notifyAll();
    }

    /** Waits until no other case can be the one, or for some seconds. */
    synchronized void awaitBlame(long number, long mostSeconds) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(mostSeconds);
        try {
            while (!order.isEmpty() && order.iterator().next() != number && System.nanoTime() < until) {
                TimeUnit.NANOSECONDS.timedWait(this, until - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
