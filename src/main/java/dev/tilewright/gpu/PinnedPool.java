package dev.tilewright.gpu;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Page-locked memory that is kept for the next caller who needs some, as getting it takes longer than copying through
 * it: see {@link Gpu#pinnedPool}. What is not taken is at most {@link #MOST_KEPT} bytes. All is freed when the GPU is
 * closed, also what was not given back. Safe for use by several threads.
 */
public final class PinnedPool {
    /** Bytes that are kept while unused. */
    public static final long MOST_KEPT = 256L << 20;

    private final Allocator allocator;
    private final TreeMap<Long, Deque<PinnedMemory>> free = new TreeMap<>();
    private long kept;

    PinnedPool(Allocator allocator) {
        this.allocator = allocator;
    }

    /**
     * Memory that is the caller's until it is given back, with unspecified contents. Closing it instead is fine.
     *
     * @param bytes how many it has at least, at least 1; it may have up to twice as many
     */
    public PinnedMemory take(long bytes) {
        synchronized (this) {
            Map.Entry<Long, Deque<PinnedMemory>> fitting = bytes < 1 ? null : free.ceilingEntry(bytes);
            if (fitting != null && fitting.getKey() / 2 <= bytes) {
                PinnedMemory memory = fitting.getValue().pop();
                if (fitting.getValue().isEmpty()) {
                    free.remove(fitting.getKey());
                }
                kept -= memory.bytes();
                if (memory.isOpen()) {
                    return memory;
                }
            }
        }
        return allocator.pinned(bytes, this);
    }

    /**
     * Takes back memory that is no longer in use, also by no copy.
     *
     * @throws IllegalArgumentException if it is not the pool's
     */
    public void give(PinnedMemory memory) {
        Objects.requireNonNull(memory, "memory");
        if (memory.pool() != this) {
            throw new IllegalArgumentException("the memory of " + memory.bytes() + " bytes is not of this pool");
        }
        synchronized (this) {
            if (!memory.isOpen()) {
                return;
            }
            if (kept + memory.bytes() <= MOST_KEPT) {
                Deque<PinnedMemory> same = free.computeIfAbsent(memory.bytes(), _ -> new ArrayDeque<>());
                if (same.contains(memory)) {
                    throw new IllegalArgumentException("the memory of " + memory.bytes()
                            + " bytes is given back twice");
                }
                same.push(memory);
                kept += memory.bytes();
                return;
            }
        }
        memory.close();
    }

    /** Bytes that are unused now. */
    public synchronized long kept() {
        return kept;
    }

    /** {@code pool of pinned memory, 0 bytes kept}. */
    @Override
    public String toString() {
        return "pool of pinned memory, " + kept() + " bytes kept";
    }
}
