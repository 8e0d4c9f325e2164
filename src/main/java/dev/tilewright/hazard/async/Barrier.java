package dev.tilewright.hazard.async;

import dev.tilewright.hazard.analysis.CheckedCluster;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ClockAccumulator;
import dev.tilewright.hazard.order.ThreadClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One mbarrier from its initialisation on: who has arrived, what the phases tell those who wait, and how its bytes are counted. */
public final class Barrier {
    /** Phases whose clocks are kept: nobody may wait for an older one. */
    private static final int KEPT = 4;

    /**
     * A wait that passed.
     *
     * @param stamp the thread's own time
     * @param phase if this one completes before the wait, the wait sees another parity
     */
    public record Window(ThreadClock actor, int stamp, long phase, int step) {
    }

    public final CheckedCluster cluster;
    public final int owner;
    public final int address;
    public final String name;
    /** Its place in the clocks of the cluster, where complete phases are counted. */
    public final int slot;

    // ---- its initialisation
    public final ThreadClock by;
    public final int stamp;
    public final int step;
    /** The time from which on its initialiser had made it known to the copy engine. */
    public int fencedAt = CopyCompletion.NEVER;
    /** The opening of the cluster's barrier that shows it, where a fence for barriers came before a relaxed arrival. */
    public long shownBy = Long.MAX_VALUE;

    // ---- arrivals and phases
    public long phase;
    private long expectedArrivals;
    private long pendingArrivals;
    private final ClockAccumulator own;
    private ClockAccumulator remote;
    private final Clock[] ownClocks = new Clock[KEPT];
    private final Clock[] remoteClocks = new Clock[KEPT];
    private final Map<ThreadClock, Long> arrivedIn = new HashMap<>(4);
    public int arrivalStep;
    /** The last wait for a parity that passed without teaching anything, and when. */
    public ThreadClock.Waited vain;
    /** What whoever has arrived, announced bytes or started copies had done before. */
    private final ClockAccumulator came;
    /** Waits that must be over before certain phases are. */
    private List<Window> windows = new ArrayList<>();
    private final List<Window> missed = new ArrayList<>();
    /** Whether phases completed that somebody still waited for one after the other. */
    public boolean overran;

    // ---- bytes of the current phase
    public long expectedBytes;
    public long startedBytes;
    public int expectStep;
    public ThreadClock expectedBy;
    public CopyCompletion lastCopy;
    /** The last copy, or instruction, that bytes were counted for. */
    public CopyCompletion lastCounted;
    /** The phase that bytes were announced for without an arrival by a thread whose arrival was of the phase before; -1 for none. */
    public long latePhase = -1;
    public int lateStep;
    public ThreadClock lateBy;
    /** A phase that was complete without all bytes of its copies; -1 for none. */
    public long shortPhase = -1;
    public int shortStep;
    public CopyCompletion shortCopy;

    public Barrier(ThreadClock by, int step, int owner, int address, String name, long arrivals) {
        this.cluster = by.cluster;
        this.slot = cluster.newSlot();
        this.by = by;
        this.stamp = by.own;
        this.own = new ClockAccumulator(slot + 1);
        this.came = new ClockAccumulator(slot + 1);
        this.step = step;
        this.owner = owner;
        this.address = address;
        this.name = name;
        this.expectedArrivals = arrivals;
        this.pendingArrivals = arrivals;
    }

    public long pendingArrivals() {
        return pendingArrivals;
    }

    public long expectedArrivals() {
        return expectedArrivals;
    }

    /** Takes note of the phases that have completed since. */
    public void advance(long now) {
        while (phase < now) {
            complete();
        }
    }

    private void complete() {
        own.phases(slot, (int) phase + 1);
        int kept = (int) (phase % KEPT);
        ownClocks[kept] = own.clock();
        remoteClocks[kept] = remote == null ? null : remote.clock();
        if (startedBytes > expectedBytes && lastCounted != null) {
            shortPhase = phase;
            shortStep = expectStep == 0 ? lastCounted.step : expectStep;
            shortCopy = lastCounted;
        }
        expectedBytes = 0;
        startedBytes = 0;
        expectStep = 0;
        pendingArrivals = expectedArrivals;
        if (!windows.isEmpty()) {
            closeWindows();
        }
        phase++;
    }

    private void closeWindows() {
        List<Window> open = new ArrayList<>();
        for (Window w : windows) {
            if (w.phase > phase) {
                open.add(w);
            } else if (came.get(w.actor.slot) < w.stamp) {
                missed.add(w);
            }
        }
        windows = open;
    }

    /** A wait has passed that sees another parity once a phase has completed. */
    public void passed(ThreadClock actor, long until, int atStep) {
        Window w = new Window(actor, actor.own, until, atStep);
        if (until < phase) {
            missed.add(w);
        } else {
            windows.add(w);
        }
    }

    /** Waits that phases did not wait for; each is given once. */
    public List<Window> takeMissed() {
        List<Window> result = List.copyOf(missed);
        missed.clear();
        return result;
    }

    public boolean hasMissed() {
        return !missed.isEmpty();
    }

    /** The present phase cannot complete before what this thread does now. */
    public void comes(ThreadClock actor) {
        came.add(actor);
        actor.tell();
    }

    /** What the end of a phase tells. @param cluster whether also of what other blocks released for the cluster */
    public Clock clock(long ofPhase, boolean cluster) {
        if (ofPhase < phase - KEPT || ofPhase >= phase) {
            return Clock.ZERO;
        }
        int kept = (int) (ofPhase % KEPT);
        return cluster && remoteClocks[kept] != null ? ownClocks[kept].join(remoteClocks[kept]) : ownClocks[kept];
    }

    /** @param released what the arrival makes known; null for nothing */
    public void arrive(ThreadClock actor, int atStep, long count, boolean drops, Clock released, boolean releases) {
        arrivedIn.put(actor, phase);
        came.add(actor);
        arrivalStep = atStep;
        pendingArrivals -= count;
        if (drops) {
            expectedArrivals -= count;
        }
        ClockAccumulator to = actor.block == owner ? own : remote == null ? remote = new ClockAccumulator(slot + 1) : remote;
        if (releases) {
            to.add(actor);
        } else if (released != null) {
            to.add(released);
        }
        actor.tell();
    }

    public void arriveLater(boolean added) {
        if (!added) {
            pendingArrivals--;
        }
    }

    /** The phase of a thread's last arrival; -1 for none. */
    public long lastArrival(ThreadClock actor) {
        return arrivedIn.getOrDefault(actor, -1L);
    }
}
