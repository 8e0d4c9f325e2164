package dev.tilewright.hazard.order;

import dev.tilewright.ptx.Effects.Order;
import dev.tilewright.ptx.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What threads tell each other through values in memory: a store that releases, or a relaxed one after a fence, makes
 * known what its thread knew; a load that acquires, or a relaxed one before a fence, takes it over. An update keeps
 * what those before it made known. Sources: PTX ISA, "Memory Consistency Model: Release and Acquire Patterns",
 * "Synchronizes".
 */
public final class ReleasedValues {
    /** What one store made known. @param scope for which threads it did; null for none */
    private record Released(ClockSnapshot by, Scope scope) {
    }

    private final Map<Long, List<Released>> values = new HashMap<>();

    /** A thread reads a value. @param order null for an access without a scope @param key says which value */
    public void read(ThreadClock thread, int step, Order order, long key) {
        if (values.isEmpty()) {
            return;
        }
        List<Released> all = values.get(key);
        if (all == null) {
            return;
        }
        Scope scope = order == null ? null : order.scope();
        boolean acquires = order != null && switch (order.semantics()) {
            case ACQUIRE, ACQ_REL, SC -> true;
            case RELAXED, RELEASE -> false;
        };
        for (Released r : all) {
            ThreadClock by = r.by.thread();
            if (by == thread) {
                continue;
            }
            boolean reaches = by.reaches(thread, r.scope) && thread.reaches(by, scope);
            if (reaches && acquires) {
                thread.learn(r.by);
            } else {
                thread.see(r.by, step, reaches);
            }
        }
    }

    /** A thread writes a value. @param update whether it has read it as part of the same operation */
    public void write(ThreadClock thread, Order order, boolean update, long key) {
        if (order == null) {
            if (!values.isEmpty()) {
                values.remove(key);
            }
            return;
        }
        boolean releases = switch (order.semantics()) {
            case RELEASE, ACQ_REL, SC -> true;
            case RELAXED, ACQUIRE -> false;
        };
        List<Released> all = values.computeIfAbsent(key, _ -> new ArrayList<>(1));
        if (!update) {
            all.clear();
        }
        all.removeIf(r -> r.by.thread() == thread);
        if (releases) {
            all.add(new Released(thread.snapshot(), order.scope()));
            thread.tell();
        } else if (thread.released() != null) {
            all.add(new Released(thread.released(), order.scope()));
        } else {
            // Known to no thread; but one that reads it, and then what came before it, has made a mistake that can be
            // named.
            all.add(new Released(thread.snapshot(), null));
        }
    }
}
