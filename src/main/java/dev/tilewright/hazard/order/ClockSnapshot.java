package dev.tilewright.hazard.order;

/** What a thread knew at some time, for threads that acquire it. */
final class ClockSnapshot {
    private final ThreadClock thread;
    private final Clock known;
    private final int time;
    private final int[] fenced;
    /** For scopes of which level it holds what fences have released; -1 where it holds all. */
    private final int level;
    /** Made when it is asked for. */
    private Clock clock;

    /** @param fenced see {@link Clock#with} */
    ClockSnapshot(ThreadClock thread, Clock known, int time, int[] fenced) {
        this(thread, known, time, fenced, -1);
    }

    private ClockSnapshot(ThreadClock thread, Clock known, int time, int[] fenced, int level) {
        this.level = level;
        this.thread = thread;
        this.known = known;
        this.time = time;
        this.fenced = fenced;
    }

    /** Of what fences have released, for scopes of a level. */
    static ClockSnapshot released(ThreadClock thread, Clock known, int time, int[] fenced, int level) {
        return new ClockSnapshot(thread, known, time, fenced, level);
    }

    ThreadClock thread() {
        return thread;
    }

    int time() {
        return time;
    }

    /** Whether it holds that the thread, or the mbarrier, with a slot had come this far, in time. */
    boolean covers(ClusterClocks of, int slot, int value) {
        if (of != thread.cluster()) {
            return known.other(of).get(slot, Clock.IN_TIME) >= value;
        }
        return (slot == thread.slot() ? time : known.get(slot, Clock.IN_TIME)) >= value;
    }

    /** In the slots of its thread's cluster. */
    Clock clock() {
        if (clock == null) {
            clock = known.with(thread.slot(), time, fenced);
            if (level >= 0) {
                clock = clock.released(level);
            }
        }
        return clock;
    }

    /** This snapshot as what all clusters know. */
    OtherClusters everywhere() {
        return clock().everywhere(thread.cluster());
    }

    /** In the slots of a cluster. */
    Clock clockFor(ClusterClocks cluster) {
        return thread.cluster() == cluster ? clock() : Clock.ZERO.joinOther(cluster, thread.cluster(), clock());
    }
}
