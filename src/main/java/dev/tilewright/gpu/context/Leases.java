package dev.tilewright.gpu.context;

import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.trace.Log;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** What was taken from a context and is not given back yet, until the context ends. Safe for use by several threads. */
final class Leases {
    /** The context's name, for messages. */
    private final String title;
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
    /** What the driver did not take back when it was closed. */
    private final Queue<Runnable> refused = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final ReadWriteLock closing = new ReentrantReadWriteLock();

    Leases(String title) {
        this.title = title;
    }

    boolean areOpen() {
        return open.get();
    }

    void requireOpen() {
        if (!open.get()) {
            throw closed();
        }
    }

    IllegalStateException closed() {
        return new IllegalStateException(title + " is closed");
    }

    /** See {@link Context#taking}. */
    <T> T taking(Supplier<T> take) {
        closing.readLock().lock();
        try {
            requireOpen();
            return take.get();
        } finally {
            closing.readLock().unlock();
        }
    }

    /** Ends them, when nothing is being taken. @return false if they had ended */
    boolean end() {
        closing.writeLock().lock();
        try {
            return open.compareAndSet(true, false);
        } finally {
            closing.writeLock().unlock();
        }
    }

    boolean areNone() {
        return leases.isEmpty();
    }

    void add(Lease lease) {
        leases.add(lease);
        if (!open.get()) {
            // Closed at the same moment.
            IllegalStateException closed = closed();
            try {
                lease.close();
            } catch (CudaException e) {
                // Most likely the context had gone before, and has taken it along.
                closed.addSuppressed(e);
            }
            throw closed;
        }
    }

    void remove(Lease lease) {
        leases.remove(lease);
    }

    /** What the driver would not take back now it is asked to take by {@link #closeAll}. */
    void tryAgainAtTheEnd(Runnable release) {
        refused.add(release);
    }

    /**
     * Gives back all that was taken.
     *
     * @param first the failure so far; null for none
     * @return the first failure; null for none
     */
    RuntimeException closeAll(RuntimeException first) {
        RuntimeException failure = first;
        for (Lease lease : List.copyOf(leases)) {
            failure = EachOf.failureOf(lease::close, failure);
        }
        // Only now: another thread may have been giving something back meanwhile, and been refused.
        for (Runnable release : List.copyOf(refused)) {
            RuntimeException again = EachOf.failureOf(release, null);
            if (again != null) {
                Log.warning("what the driver would not take back it does not take back now", again);
            }
        }
        return failure;
    }
}
