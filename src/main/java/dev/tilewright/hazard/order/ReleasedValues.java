package dev.tilewright.hazard.order;

import dev.tilewright.ptx.Effects.Order;
import java.util.HashMap;
import java.util.Map;

/**
 * What threads tell each other through values in memory. What a release pattern makes known is carried by the value, and
 * through updates of it by others, to the acquire patterns that read it. A release pattern is a store or update that
 * releases, with or without a relaxed one of the same thread to the same place after it, or a fence with a relaxed one
 * after it; an acquire pattern is a load or update that acquires, or a relaxed one with a fence after it or with an
 * acquiring one of the same place. The first operation of the one and the last of the other must each have a scope that
 * includes the other's thread, and so must each store or update and what reads it. Sources: PTX ISA, "Memory Consistency
 * Model: Morally strong operations", "Release and Acquire Patterns", "Observation Order", "Causality order".
 */
public final class ReleasedValues {
    /** What the value is for that a thread reads. */
    public enum Look {
        /** It decides nothing. */
        NONE,
        /** It decides what is done, whatever it is; within a block __syncthreads() is there to make sure of it. */
        ONCE,
        /** The thread waits for it, or does so where this look finds nothing. */
        WAITS
    }

    private final Map<Long, ReleasedValue> values = new HashMap<>();

    /**
     * A thread reads a value.
     *
     * @param look whether the value decides what threads do; else it is read whenever that happens to be
     * @param key says which value
     */
    public void read(ThreadClock thread, int step, Order order, Look look, long key) {
        ReleasedValue value = values.isEmpty() ? null : values.get(key);
        if (value != null) {
            value.read(thread, step, order, look);
        }
    }

    /** A thread reads a value and makes no use of it at all. @param key says which value */
    public void discard(ThreadClock thread, Order order, long key) {
        ReleasedValue value = values.isEmpty() ? null : values.get(key);
        if (value != null) {
            value.acquire(thread, order);
        }
    }

    /** A thread writes a value. @param update whether it has read it as part of the same operation */
    public void write(ThreadClock thread, int step, Order order, boolean update, long key) {
        if (order != null) {
            values.computeIfAbsent(key, ReleasedValue::new).write(thread, step, order, update);
        } else if (!values.isEmpty()) {
            values.remove(key);
        }
    }
}
