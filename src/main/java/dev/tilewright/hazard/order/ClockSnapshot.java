package dev.tilewright.hazard.order;

/** What a thread knew at some time, for threads that acquire it. */
final class ClockSnapshot {
    private final ThreadClock thread;
    private final Clock known;
    private final int time;
    private final int[] fenced;
    /** Made when it is asked for. */
    private Clock clock;

    /** @param fenced see {@link Clock#with} */
    ClockSnapshot(ThreadClock thread, Clock known, int time, int[] fenced) {
        this.thread = thread;
        this.known = known;
        this.time = time;
        this.fenced = fenced;
    }

    ThreadClock thread() {
        return thread;
    }

    int time() {
        return time;
    }

    /** Whether it holds that a thread had come this far, in time. */
    boolean covers(ThreadClock other, int atTime) {
        if (other == thread) {
            return time >= atTime;
        }
        Clock of = other.cluster() == thread.cluster() ? known : known.other(other.cluster());
        return of.get(other.slot(), Clock.IN_TIME) >= atTime;
    }

    /** In the slots of its thread's cluster. */
    Clock clock() {
        if (clock == null) {
            clock = known.with(thread.slot(), time, fenced);
        }
        return clock;
    }

    /** In the slots of a cluster. */
    Clock clockFor(ClusterClocks cluster) {
        return thread.cluster() == cluster ? clock() : Clock.ZERO.joinOther(cluster, thread.cluster(), clock());
    }
}
