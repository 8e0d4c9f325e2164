package dev.tilewright.hazard.order;

import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.Effects.Order;
import dev.tilewright.ptx.Effects.Semantics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What threads tell each other through values in memory: a store that releases, or a relaxed one behind a fence, makes known
 * what its thread knew; a load that acquires, or a relaxed one before a fence, takes it over. An update keeps what those
 * before it made known. Sources: PTX ISA, "Memory Consistency Model: Release and Acquire Patterns", "Synchronizes".
 */
public final class ReleasedValues {
    /** What one store made known. @param scope ordinal of the scope that it did so for; {@link ShadowAccess#WEAK} for nobody */
    private record Told(ClockSnapshot by, int scope) {
    }

    private final Map<Long, List<Told>> told = new HashMap<>();

    /** Whether a scope includes another thread. */
    public static boolean reaches(int scope, ThreadClock from, ThreadClock to) {
        return switch (scope) {
            case ShadowAccess.WEAK -> false;
            case 0 -> from.block == to.block;
            case 1 -> from.cluster == to.cluster;
            default -> true;
        };
    }

    public void read(ThreadClock a, int step, Order order, long key) {
        if (told.isEmpty()) {
            return;
        }
        List<Told> all = told.get(key);
        if (all == null) {
            return;
        }
        int scope = order == null ? ShadowAccess.WEAK : order.scope().ordinal();
        boolean acquires = order != null && (order.semantics() == Semantics.ACQUIRE || order.semantics() == Semantics.ACQ_REL
                || order.semantics() == Semantics.SC);
        for (Told t : all) {
            if (t.by.actor() == a) {
                continue;
            }
            boolean known = reaches(t.scope, t.by.actor(), a) && reaches(scope, a, t.by.actor());
            if (known && acquires) {
                a.learn(t.by);
            } else if (t.by.actor().cluster == a.cluster) {
                seen(a, t.by.clock(), step, known);
            } else {
                seen(a, Clock.ZERO.joinOther(a.cluster, t.by.actor().cluster, t.by.clock()), step, known);
            }
        }
    }

    /** A thread has seen something without acquiring it. */
    public void seen(ThreadClock a, Clock clock, int step) {
        seen(a, clock, step, true);
    }

    private static void seen(ThreadClock a, Clock clock, int step, boolean strongly) {
        a.seen = a.seen == null ? clock : a.seen.join(clock);
        a.seenAt = step;
        if (strongly) {
            a.seenStrongly = a.seenStrongly == null ? clock : a.seenStrongly.join(clock);
        }
    }

    public void write(ThreadClock a, Order order, boolean update, long key) {
        if (order == null) {
            if (!told.isEmpty()) {
                told.remove(key);
            }
            return;
        }
        boolean releases = order.semantics() == Semantics.RELEASE || order.semantics() == Semantics.ACQ_REL
                || order.semantics() == Semantics.SC;
        List<Told> all = told.computeIfAbsent(key, _ -> new ArrayList<>(1));
        if (!update) {
            all.clear();
        }
        all.removeIf(t -> t.by.actor() == a);
        if (releases) {
            all.add(new Told(a.publish(), order.scope().ordinal()));
            a.tell();
        } else if (a.fenced != null) {
            all.add(new Told(a.fenced, order.scope().ordinal()));
        } else {
            // Known to nobody; but whoever reads it, and then what came before it, has made a mistake that can be named.
            all.add(new Told(a.publish(), ShadowAccess.WEAK));
        }
    }

    public void fence(ThreadClock a, boolean acquires, boolean releases) {
        if (acquires && a.seenStrongly != null) {
            a.learn(a.seenStrongly);
            a.seenStrongly = null;
        }
        if (releases) {
            a.fenced = a.publish();
            a.tell();
        }
    }
}
