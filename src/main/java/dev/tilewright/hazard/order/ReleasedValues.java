package dev.tilewright.hazard.order;

import dev.tilewright.ptx.Effects.Order;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What threads tell each other through values in memory. What a release pattern makes known is carried by the value,
 * and through updates of it by others, to the acquire patterns that read it. A release pattern is a store or update
 * that releases, with or without a relaxed one of the same thread to the same place after it, or a fence with a relaxed
 * one after it; an acquire pattern is a load or update that acquires, or a relaxed one with a fence after it or with an
 * acquiring one of the same place. The first operation of the one and the last of the other must each have a scope that
 * includes the other's thread, and so must each store or update and what reads it. Sources: PTX ISA, "Memory
 * Consistency Model: Morally strong operations", "Release and Acquire Patterns", "Observation Order", "Causality
 * order".
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

    /** No value is larger, so that none lies in two stretches of as many bytes. */
    private static final int STRETCH = 4;

    /** By the place of the stretch. */
    private final Map<Long, List<ReleasedValue>> values = new HashMap<>();

    /**
     * The number of a value in memory, not 0: values of different sizes at one place have different ones, too.
     *
     * @param place a multiple of the size
     * @param bytes the size, a power of two
     */
    public static long word(long place, long bytes) {
        return place & Long.MIN_VALUE | (place << 1) + bytes & Long.MAX_VALUE;
    }

    /** The size of the value with this number. */
    public static long bytes(long word) {
        return Long.lowestOneBit(word);
    }

    /**
     * A thread reads a value.
     *
     * @param look whether the value decides what threads do; else it is read whenever that happens to be
     * @param word the value's number: its place and size
     */
    public void read(ThreadClock thread, int step, Order order, Look look, long word) {
        ReleasedValue value = values.isEmpty() ? null : at(word);
        if (value != null) {
            value.read(thread, step, order, look);
        }
    }

    /** A thread reads a value and makes no use of it at all. @param word the value's number */
    public void discard(ThreadClock thread, Order order, long word) {
        ReleasedValue value = values.isEmpty() ? null : at(word);
        if (value != null) {
            value.acquire(thread, order);
        }
    }

    /**
     * A thread writes to memory: a value, if it does so with a scope. Values that lie there in part, or have another
     * size, carry nothing any more.
     *
     * @param order null for a write without a scope
     * @param update whether it has read the value as part of the same operation
     */
    public void write(ThreadClock thread, int step, Order order, boolean update, long place, long bytes) {
        long word = word(place, bytes);
        if (!values.isEmpty()) {
            for (long stretch = place >> STRETCH; stretch <= place + bytes - 1 >> STRETCH; stretch++) {
                overwrite(stretch, place, bytes, order == null ? 0 : word);
            }
        }
        if (order != null) {
            put(word, place, bytes).write(thread, step, order, update);
        }
    }

    /** A thread has written, without a scope, a value that others may wait for. */
    public void writePlain(ThreadClock thread, int step, long place, long bytes) {
        put(word(place, bytes), place, bytes).writePlain(thread, step);
    }

    private ReleasedValue put(long word, long place, long bytes) {
        ReleasedValue value = at(word);
        if (value == null) {
            value = new ReleasedValue(word, place, bytes);
            values.computeIfAbsent(place >> STRETCH, _ -> new ArrayList<>(1)).add(value);
        }
        return value;
    }

    private void overwrite(long stretch, long place, long bytes, long but) {
        List<ReleasedValue> there = values.get(stretch);
        if (there != null && there.removeIf(v -> v.word() != but && v.overlaps(place, bytes)) && there.isEmpty()) {
            values.remove(stretch);
        }
    }

    private ReleasedValue at(long word) {
        long place = word & Long.MIN_VALUE | (word & Long.MAX_VALUE) >> 1;
        for (ReleasedValue value : values.getOrDefault(place >> STRETCH, List.of())) {
            if (value.word() == word) {
                return value;
            }
        }
        return null;
    }
}
