package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.order.ByThread;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.ptx.Effects.Order;
import java.util.HashMap;
import java.util.Map;

/** Of a cluster: how often threads have arrived at mbarriers, and passed waits for them, and in which steps. */
final class BarrierLog {

    /** What one thread has done with one mbarrier. */
    static final class Use {
        /** Arrivals of all phases, and waits that passed. */
        long arrivals;
        long passes;
        /** The phase of the last copy that it started for it; -1 for none. */
        long broughtIn = -1;
        /** The blocks that this copy went to, by their ranks; 0 where it has one destination. */
        int broughtTo;
        /** The phase of the last arrival, -1 for none, and how many arrivals there were in it. */
        long lastPhase = -1;
        long inLastPhase;
        /** The most arrivals in an earlier phase. */
        long mostInPhase;
        /** Steps of the last arrival, and of the last wait that passed; 0 for none. */
        int arriveStep;
        int passStep;
        /** When these were: numbers of events, and the thread's own time. */
        long arriveEvent;
        int arriveTime;
        long passEvent;
        /** The phase whose end the last wait waited for, if it was there to wait for; -1 for none. */
        long passPhase = -1;
        /** How these order; null for the default. */
        Order arriveOrder;
        Order passOrder;

        /** Whether it has arrived in a phase as often as it does in any. */
        boolean isDoneIn(long phase) {
            return lastPhase == phase && inLastPhase >= Math.max(1, mostInPhase);
        }

        boolean hasArrivedIn(long phase) {
            return lastPhase == phase;
        }
    }

    /** By the block and the address of the mbarrier. */
    private final Map<Long, ByThread<Use>> uses = new HashMap<>();
    /** The mbarrier that was asked for last; null for none. */
    private ByThread<Use> recent;
    private long recentPlace;

    void arrives(CheckedThread thread, int step, int owner, int address, long phase, long count,
            Order order, long event) {
        Use use = use(thread, owner, address);
        if (use.lastPhase != phase) {
            use.mostInPhase = Math.max(use.mostInPhase, use.inLastPhase);
            use.inLastPhase = 0;
            use.lastPhase = phase;
        }
        use.inLastPhase += count;
        use.arrivals += count;
        use.arriveStep = step;
        use.arriveOrder = order;
        use.arriveEvent = event;
        use.arriveTime = thread.clock.time();
    }

    /** A thread starts a copy whose bytes are counted. @param mask blocks that it goes to; 0 for one destination */
    void brings(CheckedThread thread, int owner, int address, long phase, int mask) {
        Use use = use(thread, owner, address);
        // A later copy of the phase with one destination does not make up for blocks that the first one leaves out.
        use.broughtTo = mask == 0 && use.broughtIn == phase ? use.broughtTo : mask;
        use.broughtIn = phase;
    }

    void passes(CheckedThread thread, int step, int owner, int address, long phase, Order order, long event) {
        Use use = use(thread, owner, address);
        use.passes++;
        use.passStep = step;
        use.passPhase = phase;
        use.passOrder = order;
        use.passEvent = event;
    }

    /** Another mbarrier is there from now on. */
    void initialised(int owner, int address) {
        uses.remove(place(owner, address));
        recent = null;
    }

    private Use use(CheckedThread thread, int owner, int address) {
        long place = place(owner, address);
        if (recent == null || recentPlace != place) {
            recent = uses.computeIfAbsent(place, _ -> new ByThread<>(_ -> new Use()));
            recentPlace = place;
        }
        return recent.of(thread.clock);
    }

    private static long place(int owner, int address) {
        return (long) owner << Integer.SIZE | address;
    }

    /** What every thread that has used an mbarrier has done with it. */
    Map<ThreadClock, Use> of(int owner, int address) {
        ByThread<Use> all = uses.get(place(owner, address));
        return all == null ? Map.of() : all;
    }

    /** What one thread has done with an mbarrier; null for nothing. */
    Use of(ThreadClock thread, int owner, int address) {
        return of(owner, address).get(thread);
    }
}
