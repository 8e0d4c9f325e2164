package dev.tilewright.hazard.order;

import dev.tilewright.hazard.order.Gap.Reason;
import dev.tilewright.hazard.order.ReleasedValues.Look;
import dev.tilewright.ptx.Effects.Order;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Scope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A value in memory, and what it carries of the threads that wrote and updated it; see {@link ReleasedValues}.
 *
 * <p>Where all blocks of a grid update a value and then read it, each would learn from each. What the value carries for
 * threads anywhere is therefore kept as one sum too, which a reader takes over at once if the value carries much.
 */
final class ReleasedValue {
    /** Entries of updates that release nothing, kept for each value: only messages use them. */
    private static final int MOST_IDLE = 128;
    /** Of a value that carries no more than this, a reader learns entry by entry. */
    private static final int FEW = 32;
    private static final int ALL = ThreadClock.LEVELS - 1;

    /** What a value carries of one thread. */
    private static final class Carried {
        final ClockSnapshot by;
        /** Of the scope of the step that releases. */
        final int level;
        /** The step by which the thread of whom it tells wrote or updated the value. */
        final int told;
        /** Whether an earlier step of the thread has released it, not this one or a fence before it. */
        final boolean again;
        /** Why no thread can acquire it; null where threads can. */
        Reason lacks;
        /** The step that falls short, or the first of the release pattern, and its thread. */
        int first;
        ThreadClock of;
        /** Of one that lacks something: who wrote or updated the value last before, and whether that was an update. */
        ThreadClock carrier;
        boolean updated;

        Carried(ClockSnapshot by, int first, ThreadClock of, int level, int told, boolean again) {
            this.by = by;
            this.first = first;
            this.of = of;
            this.level = level;
            this.told = told;
            this.again = again;
        }

        Carried lacking(Reason what, ThreadClock writer, boolean update) {
            lacks = what;
            carrier = writer;
            updated = update;
            return this;
        }
    }

    private final long word;
    private final long place;
    private final long bytes;
    private final List<Carried> all = new ArrayList<>(2);
    // What the entries that lack nothing have in common: the thread that wrote or updated the value last, with that
    // step and its scope, and whether that was an update.
    private ThreadClock carrier;
    private int last;
    private Scope scope;
    private boolean updated;
    /** What those carry together that lack nothing and release to all threads. */
    private OtherClusters sum = OtherClusters.NONE;

    /** @param word its number; see {@link ReleasedValues#word} */
    ReleasedValue(long word, long place, long bytes) {
        this.word = word;
        this.place = place;
        this.bytes = bytes;
    }

    long word() {
        return word;
    }

    boolean overlaps(long otherPlace, long otherBytes) {
        return place < otherPlace + otherBytes && otherPlace < place + bytes;
    }

    // ---- writing

    /** A thread writes it. @param update whether it has read it as part of the same operation */
    void write(ThreadClock thread, int step, Order order, boolean update) {
        if (update) {
            all.removeIf(c -> c.by.thread() == thread);
            if (carrier != null && !carrier.reaches(thread, scope)) {
                breaks(last, carrier);
            } else if (carrier != null && !thread.reaches(carrier, order.scope())) {
                breaks(step, thread);
            }
        } else {
            all.clear();
            sum = OtherClusters.NONE;
        }
        carrier = thread;
        last = step;
        scope = order.scope();
        updated = update;
        ClockSnapshot[] at = thread.carriedAt(word);
        for (int level = 0; level < ThreadClock.LEVELS; level++) {
            add(thread.carriedByFence(level), thread.fenceStep(step), level, false);
            add(at == null ? null : at[level], step, level, true);
        }
        ClockSnapshot now = thread.snapshot();
        if (releases(order)) {
            add(now, step, ThreadClock.level(order.scope()), false);
            thread.releasedAt(word, now, order.scope());
        } else {
            // Known to no thread; but one that reads it, and then what came before it, has made a mistake that can be
            // named.
            all.add(new Carried(now, step, thread, 0, step, false).lacking(Reason.NOT_RELEASED, thread, update));
            if (all.size() > MOST_IDLE) {
                dropOldestIdle();
            }
        }
        thread.tell();
    }

    /** A thread writes it without a scope, which tells those who wait for it in time alone. */
    void writePlain(ThreadClock thread, int step) {
        all.clear();
        sum = OtherClusters.NONE;
        carrier = thread;
        all.add(new Carried(thread.snapshot(), step, thread, 0, step, false).lacking(Reason.PLAIN, thread, false));
        thread.tell();
    }

    private void add(ClockSnapshot carried, int first, int level, boolean again) {
        if (carried != null) {
            all.add(new Carried(carried, first, carrier, level, last, again));
            if (level == ALL && (all.size() > FEW || sum != OtherClusters.NONE)) {
                sumUp();
            }
        }
    }

    /** The sum is only kept once there is much to add up. */
    private void sumUp() {
        if (sum != OtherClusters.NONE) {
            sum = sum.join(all.getLast().by.everywhere());
            return;
        }
        for (Carried c : all) {
            if (c.lacks == null && c.level == ALL) {
                sum = sum.join(c.by.everywhere());
            }
        }
    }

    /** An update with too small a scope: those who read it learn nothing of what was carried. */
    private void breaks(int step, ThreadClock thread) {
        for (Carried c : all) {
            if (c.lacks == null) {
                c.lacking(Reason.SCOPE, carrier, updated);
                c.first = step;
                c.of = thread;
            }
        }
        sum = OtherClusters.NONE;
    }

    private void dropOldestIdle() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).lacks == Reason.NOT_RELEASED) {
                all.remove(i);
                return;
            }
        }
    }

    // ---- reading

    /** A thread reads it. @param look whether the value decides what threads do */
    void read(ThreadClock thread, int step, Order order, Look look) {
        if (sum != OtherClusters.NONE && look != Look.NONE && !isOnceInBlock(thread, look, carrier, updated)) {
            readMuch(thread, step, order, look);
        } else {
            for (Carried c : all) {
                readOne(thread, step, order, look, c);
            }
        }
        acquire(thread, order);
    }

    /** What the thread has read here before, it acquires now, whatever the value of this read is for. */
    void acquire(ThreadClock thread, Order order) {
        if (acquires(order)) {
            thread.acquiresAt(word, order.scope());
        }
    }

    private static boolean isOnceInBlock(ThreadClock thread, Look look, ThreadClock writer, boolean update) {
        return look == Look.ONCE && !update && writer.block() == thread.block();
    }

    private void readOne(ThreadClock thread, int step, Order order, Look look, Carried c) {
        if (thread.isAfter(c.by.thread(), c.by.time()) || c.lacks == Reason.PLAIN && look != Look.WAITS) {
            return;
        }
        if (look == Look.NONE || isOnceInBlock(thread, look, c.lacks == null ? carrier : c.carrier,
                c.lacks == null ? updated : c.updated)) {
            thread.hints().misses(gap(Reason.UNCHECKED, step, thread, c));
            return;
        }
        if (c.lacks == null && c.by.thread().block() != thread.block()) {
            learns(thread, step, c);
        }
        Gap gap = gap(thread, step, order, c);
        if (gap == null) {
            thread.learn(c.by);
            return;
        }
        thread.learnInTime(c.by);
        thread.hints().misses(gap);
        if (reachesBothWays(thread, order, c)) {
            thread.readsRelaxed(c.by.clockFor(thread.cluster()), thread.levelTo(c.by.thread()), word);
        }
    }

    /** Why a thread does not learn what is carried; null where it does. */
    private Gap gap(ThreadClock thread, int step, Order order, Carried c) {
        if (c.lacks != null) {
            return gap(c.lacks, c.first, c.of, c);
        } else if (!carrier.reaches(thread, scope)) {
            return gap(Reason.SCOPE, last, carrier, c);
        } else if (c.level < c.by.thread().levelTo(thread)) {
            return gap(Reason.SCOPE, c.first, c.of, c);
        } else if (!thread.reaches(carrier, order.scope())) {
            return gap(Reason.SCOPE, step, thread, c);
        } else if (!acquires(order)) {
            return gap(Reason.NOT_ACQUIRED, step, thread, c);
        }
        return thread.reaches(c.by.thread(), order.scope()) ? null : gap(Reason.SCOPE, step, thread, c);
    }

    /** Whether a fence after the read would make up for it. */
    private boolean reachesBothWays(ThreadClock thread, Order order, Carried c) {
        return c.lacks == null && carrier.reaches(thread, scope) && c.level >= c.by.thread().levelTo(thread)
                && thread.reaches(carrier, order.scope());
    }

    /** Reads what carries much: what comes of other clusters is learnt at once, and only the last of it remembered. */
    private void readMuch(ThreadClock thread, int step, Order order, Look look) {
        ArrayDeque<Carried> heard = new ArrayDeque<>();
        ArrayDeque<Gap> missed = new ArrayDeque<>();
        List<Carried> near = new ArrayList<>(0);
        List<Carried> lacking = new ArrayList<>(0);
        Carried one = null;
        ThreadClock after = null;
        for (int i = all.size() - 1; i >= 0; i--) {
            Carried c = all.get(i);
            ThreadClock teller = c.by.thread();
            if (thread.isAfter(teller, c.by.time())) {
                continue;
            }
            if (teller.cluster() == thread.cluster()) {
                near.add(c);
                continue;
            }
            boolean once = c.lacks != null && isOnceInBlock(thread, look, c.carrier, c.updated);
            if (!once && (c.lacks != null || c.level < ALL)) {
                lacking.add(c);
            }
            if (c.lacks == null) {
                if (heard.size() < OrderHints.MOST_OBSERVED && !(c.again && after == teller)) {
                    heard.addFirst(c);
                }
                after = teller;
                one = c.level == ALL ? c : one;
            }
            if (missed.size() < OrderHints.MOST_GAPS) {
                Gap gap = once ? gap(Reason.UNCHECKED, step, thread, c) : gap(thread, step, order, c);
                if (gap != null) {
                    missed.addFirst(gap);
                }
            }
        }
        near.reversed().forEach(c -> readOne(thread, step, order, look, c));
        heard.forEach(c -> learns(thread, step, c));
        if (one != null) {
            Clock carried = Clock.of(thread.cluster(), sum);
            if (gap(thread, step, order, one) == null) {
                thread.learn(carried);
            } else {
                thread.learnInTime(carried);
                if (reachesBothWays(thread, order, one)) {
                    thread.readsRelaxed(carried, ALL, word);
                }
            }
        }
        lacking.reversed().forEach(c -> thread.learnInTime(c.by));
        missed.forEach(thread.hints()::misses);
    }

    private static void learns(ThreadClock thread, int step, Carried c) {
        thread.hints().learns(new ObservedRelease(c.by.thread(), c.told, c.by.time(), step, thread.time(),
                c.by::covers));
    }

    private static Gap gap(Reason reason, int step, ThreadClock of, Carried c) {
        return new Gap(reason, step, of, c.by::covers);
    }

    private static boolean acquires(Order order) {
        return order.semantics() != Semantics.RELAXED && order.semantics() != Semantics.RELEASE;
    }

    private static boolean releases(Order order) {
        return order.semantics() != Semantics.RELAXED && order.semantics() != Semantics.ACQUIRE;
    }
}

