package dev.tilewright.hazard.order;

import dev.tilewright.hazard.order.Gap.Reason;
import dev.tilewright.ptx.Effects.Order;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

    /** As many entries of updates that release nothing are kept for a value: they are for messages alone. */
    private static final int MOST_IDLE = 128;

    /**
     * What a value carries of one thread.
     *
     * @param lacks why no thread can acquire it; null where threads can
     * @param first the step that falls short, or the first of the release pattern, and its thread
     * @param level of the scope of that step
     * @param carrier the thread that wrote or updated the value last, with that step and its scope
     * @param updated whether that was an update
     * @param told the step by which the thread of whom it tells wrote or updated the value
     */
    private record Carried(ClockSnapshot by, Reason lacks, int first, ThreadClock of, int level, ThreadClock carrier,
            int last, Scope scope, boolean updated, int told) {

        Carried broken(int step, ThreadClock thread) {
            return new Carried(by, Reason.SCOPE, step, thread, level, carrier, last, scope, updated, told);
        }

        Carried through(ThreadClock thread, int step, Scope by) {
            return new Carried(this.by, lacks, first, of, level, thread, step, by, true, told);
        }
    }

    private final Map<Long, List<Carried>> values = new HashMap<>();

    /**
     * A thread reads a value.
     *
     * @param look whether the value decides what threads do; else it is read whenever that happens to be
     * @param key says which value
     */
    public void read(ThreadClock thread, int step, Order order, Look look, long key) {
        if (values.isEmpty()) {
            return;
        }
        List<Carried> all = values.get(key);
        if (all == null) {
            return;
        }
        for (Carried c : all) {
            if (!thread.isAfter(c.by.thread(), c.by.time())) {
                read(thread, step, order, look, key, c);
            }
        }
        if (acquires(order) && look != Look.NONE) {
            thread.acquiresAt(key, order.scope());
        }
    }

    private static void read(ThreadClock thread, int step, Order order, Look look, long key, Carried c) {
        if (look == Look.NONE || look == Look.ONCE && !c.updated && c.carrier.block() == thread.block()) {
            misses(thread, Reason.UNCHECKED, step, thread, c);
            return;
        }
        Scope scope = order.scope();
        if (c.lacks == null && c.by.thread().block() != thread.block()) {
            thread.hears(new Heard(c.by.thread(), c.told, c.by.time(), step, thread.time(), c.by::covers));
        }
        thread.learnInTime(c.by);
        if (c.lacks != null) {
            misses(thread, c.lacks, c.first, c.of, c);
        } else if (!c.carrier.reaches(thread, c.scope)) {
            misses(thread, Reason.SCOPE, c.last, c.carrier, c);
        } else if (c.level < c.by.thread().levelTo(thread)) {
            misses(thread, Reason.SCOPE, c.first, c.of, c);
        } else if (!thread.reaches(c.carrier, scope)) {
            misses(thread, Reason.SCOPE, step, thread, c);
        } else if (acquires(order) && thread.reaches(c.by.thread(), scope)) {
            thread.learn(c.by);
        } else {
            misses(thread, acquires(order) ? Reason.SCOPE : Reason.NOT_ACQUIRED, step, thread, c);
            thread.readsRelaxed(c.by.clockFor(thread.cluster()), thread.levelTo(c.by.thread()), key);
        }
    }

    private static void misses(ThreadClock thread, Reason reason, int step, ThreadClock of, Carried c) {
        thread.misses(new Gap(reason, step, of, c.by::covers));
    }

    /** A thread writes a value. @param update whether it has read it as part of the same operation */
    public void write(ThreadClock thread, int step, Order order, boolean update, long key) {
        if (order == null) {
            if (!values.isEmpty()) {
                values.remove(key);
            }
            return;
        }
        List<Carried> all = values.computeIfAbsent(key, _ -> new ArrayList<>(2));
        if (!update) {
            all.clear();
        }
        all.removeIf(c -> c.by.thread() == thread);
        all.replaceAll(c -> c.lacks != null ? c
                : !c.carrier.reaches(thread, c.scope) ? c.broken(c.last, c.carrier)
                : !thread.reaches(c.carrier, order.scope()) ? c.broken(step, thread)
                : c.through(thread, step, order.scope()));
        ClockSnapshot[] at = thread.carriedAt(key);
        for (int level = 0; level < ThreadClock.LEVELS; level++) {
            add(all, thread.carriedByFence(level), thread, thread.fenceStep(step), level, step, order.scope(), update);
            add(all, at == null ? null : at[level], thread, step, level, step, order.scope(), update);
        }
        ClockSnapshot now = thread.snapshot();
        if (releases(order)) {
            add(all, now, thread, step, ThreadClock.level(order.scope()), step, order.scope(), update);
            thread.releasedAt(key, now, order.scope());
        } else {
            // Known to no thread; but one that reads it, and then what came before it, has made a mistake that can be
            // named.
            all.add(new Carried(now, Reason.NOT_RELEASED, step, thread, 0, thread, step, order.scope(), update,
                    step));
            if (all.size() > MOST_IDLE) {
                dropOldestIdle(all);
            }
        }
        thread.tell();
    }

    private static void add(List<Carried> all, ClockSnapshot carried, ThreadClock thread, int first, int level,
            int step, Scope scope, boolean update) {
        if (carried != null) {
            all.add(new Carried(carried, null, first, thread, level, thread, step, scope, update, step));
        }
    }

    private static void dropOldestIdle(List<Carried> all) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).lacks == Reason.NOT_RELEASED) {
                all.remove(i);
                return;
            }
        }
    }

    private static boolean acquires(Order order) {
        return order.semantics() != Semantics.RELAXED && order.semantics() != Semantics.RELEASE;
    }

    private static boolean releases(Order order) {
        return order.semantics() != Semantics.RELAXED && order.semantics() != Semantics.ACQUIRE;
    }
}
