package dev.tilewright.hazard;

import java.util.HashMap;
import java.util.Map;

/** One mbarrier from its initialisation on: who has arrived, what the phases tell those who wait, and how its bytes are counted. */
final class Barrier {
    /** Phases whose clocks are kept: nobody may wait for an older one. */
    private static final int KEPT = 4;

    final ClusterShadow cluster;
    final int owner;
    final int address;
    final String name;
    /** Its place in the clocks of the cluster, where complete phases are counted. */
    final int slot;

    // ---- its initialisation
    final Actor by;
    final int stamp;
    final int step;
    /** The time from which on its initialiser had made it known to the copy engine. */
    int fencedAt = Done.NEVER;
    /** The opening of the cluster's barrier that shows it, where a fence for barriers came before a relaxed arrival. */
    long shownBy = Long.MAX_VALUE;

    // ---- arrivals and phases
    long phase;
    private long expectedArrivals;
    private long pendingArrivals;
    private final Gathering own;
    private Gathering remote;
    private final Clock[] ownClocks = new Clock[KEPT];
    private final Clock[] remoteClocks = new Clock[KEPT];
    private final Map<Actor, Long> arrivedIn = new HashMap<>(4);
    int arrivalStep;
    /** The last wait for a parity that passed without teaching anything, and when. */
    Actor.Waited vain;
    /** Whether phases completed that somebody still waited for one after the other. */
    boolean overran;

    // ---- bytes of the current phase
    long expectedBytes;
    long startedBytes;
    int expectStep;
    Actor expectedBy;
    Done lastCopy;
    /** The phase that bytes were announced for without an arrival by a thread whose arrival was of the phase before; -1 for none. */
    long latePhase = -1;
    int lateStep;
    Actor lateBy;
    /** A phase that was complete without all bytes of its copies; -1 for none. */
    long shortPhase = -1;
    int shortStep;
    Done shortCopy;

    Barrier(Actor by, int step, int owner, int address, String name, long arrivals) {
        this.cluster = by.cluster;
        this.slot = cluster.newSlot();
        this.by = by;
        this.stamp = by.own;
        this.own = new Gathering(slot + 1);
        this.step = step;
        this.owner = owner;
        this.address = address;
        this.name = name;
        this.expectedArrivals = arrivals;
        this.pendingArrivals = arrivals;
    }

    long pendingArrivals() {
        return pendingArrivals;
    }

    long expectedArrivals() {
        return expectedArrivals;
    }

    /** Takes note of the phases that have completed since. */
    void advance(long now) {
        while (phase < now) {
            complete();
        }
    }

    private void complete() {
        own.phases(slot, (int) phase + 1);
        int kept = (int) (phase % KEPT);
        ownClocks[kept] = own.clock();
        remoteClocks[kept] = remote == null ? null : remote.clock();
        if (startedBytes > expectedBytes && lastCopy != null) {
            shortPhase = phase;
            shortStep = expectStep == 0 ? lastCopy.step : expectStep;
            shortCopy = lastCopy;
        }
        expectedBytes = 0;
        startedBytes = 0;
        expectStep = 0;
        pendingArrivals = expectedArrivals;
        phase++;
    }

    /** What the end of a phase tells. @param cluster whether also of what other blocks released for the cluster */
    Clock clock(long ofPhase, boolean cluster) {
        if (ofPhase < phase - KEPT || ofPhase >= phase) {
            return Clock.ZERO;
        }
        int kept = (int) (ofPhase % KEPT);
        return cluster && remoteClocks[kept] != null ? ownClocks[kept].join(remoteClocks[kept]) : ownClocks[kept];
    }

    /** @param released what the arrival makes known; null for nothing */
    void arrive(Actor actor, int atStep, long count, boolean drops, Clock released, boolean releases) {
        arrivedIn.put(actor, phase);
        arrivalStep = atStep;
        pendingArrivals -= count;
        if (drops) {
            expectedArrivals -= count;
        }
        Gathering to = actor.block == owner ? own : remote == null ? remote = new Gathering(slot + 1) : remote;
        if (releases) {
            to.add(actor);
            actor.tell();
        } else if (released != null) {
            to.add(released);
        }
    }

    void arriveLater(boolean added) {
        if (!added) {
            pendingArrivals--;
        }
    }

    /** The phase of a thread's last arrival; -1 for none. */
    long lastArrival(Actor actor) {
        return arrivedIn.getOrDefault(actor, -1L);
    }
}
