package dev.tilewright.hazard.async;

import dev.tilewright.hazard.async.BarrierNotes.ShortPhase;
import dev.tilewright.hazard.async.PhaseEvents.Arrival;
import dev.tilewright.hazard.async.WaitWindows.Window;
import dev.tilewright.hazard.order.ByThread;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ClockAccumulator;
import dev.tilewright.hazard.order.ClusterClocks;
import dev.tilewright.hazard.order.Gap.Missed;
import dev.tilewright.hazard.order.Gap.Reason;
import dev.tilewright.hazard.order.Gap;
import dev.tilewright.hazard.order.ThreadClock;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * One mbarrier from its initialisation on: who has arrived, what its phases tell those who wait, and how its bytes are
 * counted.
 */
public final class Barrier {
    /** Phases whose clocks are kept: no thread may wait for an older one. */
    private static final int KEPT = 4;
    /** As many arrivals that tell too little are remembered. */
    private static final int WITHHELD = 128;

    private final ClusterClocks cluster;
    private final int owner;
    private final int address;
    private final String name;
    private final int slot;
    private final BarrierInit init;

    private long phase;
    private long expectedArrivals;
    private long pendingArrivals;
    /** What those who arrived knew, of its own block and of others; and the same when a phase was complete. */
    private final ClockAccumulator own;
    private ClockAccumulator remote;
    private final Clock[] ownClocks = new Clock[KEPT];
    private final Clock[] remoteClocks = new Clock[KEPT];
    /** Arrivals that are relaxed, or have a scope that leaves out those who wait: what those would know of them. */
    private final ArrayDeque<Gap> withheld = new ArrayDeque<>(0);
    private int arrivalStep;
    /** What those knew that arrived, announced bytes or started copies: the present phase cannot complete before. */
    private final ClockAccumulator before;
    private PhaseEvents events = new PhaseEvents();
    private final PhaseEvents[] pastEvents = new PhaseEvents[KEPT];
    private List<Announcement> notHeld = List.of();
    private final ByThread<BarrierUser> users = new ByThread<>(BarrierUser::new);
    private final WaitWindows windows = new WaitWindows();
    private final BarrierNotes notes = new BarrierNotes();
    private final PhaseBytes bytes = new PhaseBytes();
    private CopyCompletion lastCopy;
    private FollowingArrival lastFollowing;

    /** @param owner the block whose shared memory it is in */
    public Barrier(ThreadClock initialiser, int step, int owner, int address, String name, long arrivals) {
        this.cluster = initialiser.cluster();
        this.slot = cluster.newSlot();
        this.init = new BarrierInit(initialiser, step);
        this.own = cluster.accumulator();
        this.before = cluster.accumulator();
        this.owner = owner;
        this.address = address;
        this.name = name;
        this.expectedArrivals = arrivals;
        this.pendingArrivals = arrivals;
    }

    public ClusterClocks cluster() {
        return cluster;
    }

    /** The block whose shared memory it is in. */
    public int owner() {
        return owner;
    }

    public int address() {
        return address;
    }

    public String name() {
        return name;
    }

    /** Its place in the clocks of the cluster, where complete phases are counted. */
    public int slot() {
        return slot;
    }

    public BarrierInit init() {
        return init;
    }

    /** The number of phases that are complete. */
    public long phase() {
        return phase;
    }

    /** Arrivals that a phase takes. */
    public long expectedArrivals() {
        return expectedArrivals;
    }

    /**
     * Arrivals that the present phase still takes, including arrivals that follow copies; below 0 if it gets too many.
     */
    public long pendingArrivals() {
        return pendingArrivals;
    }

    /** The bytes of the present phase. */
    public PhaseBytes bytes() {
        return bytes;
    }

    /** What findings may have to name. */
    public BarrierNotes notes() {
        return notes;
    }

    // ---- phases

    /** A thread does something with it now. @param what as in "arrives" */
    public void used(ThreadClock by, int step, String what) {
        user(by).uses(step, what, phase);
    }

    /** The threads that have done something with it. */
    public Iterable<BarrierUser> users() {
        return users.values();
    }

    private BarrierUser user(ThreadClock thread) {
        return users.of(thread);
    }

    /** No more comes: if the present phase has all that it takes, it is complete. */
    public void settle() {
        if (pendingArrivals <= 0 && bytes.announced() == bytes.started()) {
            advance(phase + 1);
        }
    }

    /** Takes note of the phases that have completed since. */
    public void advance(long now) {
        while (phase < now) {
            complete();
        }
    }

    private void complete() {
        own.addPhases(slot, (int) phase + 1);
        int kept = (int) (phase % KEPT);
        ownClocks[kept] = own.clock();
        remoteClocks[kept] = remote == null ? null : remote.clock();
        if (bytes.started() > bytes.announced() && bytes.lastCounted() != null) {
            notes.endsShort(new ShortPhase(phase, bytes.stepThatAnnouncesTooLittle(), bytes.lastCounted()));
        }
        if (!events.notHeld().isEmpty()) {
            notHeld = events.notHeld();
        }
        pastEvents[kept] = events;
        events = new PhaseEvents();
        bytes.clear();
        pendingArrivals = expectedArrivals;
        windows.close(phase, before);
        phase++;
    }

    /**
     * How many phases a thread knows to be complete: phases that a wait has told it or others of, and phases of which
     * it knows all arrivals, if they wait for nothing else.
     */
    public long sure(ThreadClock thread) {
        long n = thread.hasSeenPhases(slot);
        while (n < phase && n >= phase - KEPT && pastEvents[(int) (n % KEPT)].isCountedBy(thread)) {
            n++;
        }
        thread.knowsPhases(slot, (int) n);
        return n;
    }

    /** Announcements before which a phase might have been complete; each is given once. */
    public List<Announcement> takeNotHeld() {
        List<Announcement> result = notHeld;
        notHeld = List.of();
        return result;
    }

    /** The step of a thread's second arrival in the phase before this one; 0 where all arrived once. */
    public Optional<Arrival> repeatedArrival() {
        return phase == 0 ? Optional.empty() : Optional.ofNullable(pastEvents[(int) ((phase - 1) % KEPT)].repeated());
    }

    /**
     * A thread has waited for the end of a phase.
     *
     * @param acquires whether the wait does, or leaves that to a fence
     * @param ofCluster whether its scope includes other blocks
     */
    public void teach(ThreadClock thread, long ofPhase, boolean acquires, boolean ofCluster, int step) {
        if (ofPhase < phase - KEPT || ofPhase >= phase) {
            return;
        }
        withheld.forEach(thread.hints()::misses);
        int kept = (int) (ofPhase % KEPT);
        teach(thread, ownClocks[kept], acquires, false, step);
        Clock theirs = remoteClocks[kept];
        if (theirs != null && ofCluster) {
            teach(thread, theirs, acquires, true, step);
        } else if (theirs != null) {
            thread.learnInTime(theirs);
            thread.hints().misses(new Gap(Reason.SCOPE, step, thread, Missed.of(theirs, cluster)));
        }
    }

    private static void teach(ThreadClock thread, Clock clock, boolean acquires, boolean ofCluster, int step) {
        if (acquires) {
            thread.learn(clock);
        } else {
            thread.waitsRelaxed(clock, ofCluster, step);
        }
    }

    /** The present phase cannot complete before what this thread does now. */
    private void requires(ThreadClock thread) {
        before.add(thread);
        thread.tell();
    }

    // ---- arrivals

    /**
     * A thread arrives.
     *
     * @param drops whether later phases take as many arrivals less
     * @param reaches whether the arrival has a scope that includes those who wait
     * @param releases whether it makes known what its thread knows; else it makes known what a fence before it released
     */
    public void arrive(ThreadClock thread, int step, long count, boolean drops, boolean reaches, boolean releases) {
        user(thread).arrives(phase);
        events.arrives(thread, step);
        arrivalStep = step;
        pendingArrivals -= count;
        if (drops) {
            expectedArrivals -= count;
        }
        ClockAccumulator to = of(thread);
        to.addInTime(thread);
        if (releases) {
            to.add(thread);
        } else if (reaches) {
            thread.addReleasedTo(to, thread.block() != owner);
            withhold(thread, Reason.NOT_RELEASED, step);
        } else {
            withhold(thread, Reason.SCOPE, step);
        }
        requires(thread);
    }

    /** What threads of the barrier's own block tell, or those of others. */
    private ClockAccumulator of(ThreadClock thread) {
        if (thread.block() == owner) {
            return own;
        }
        if (remote == null) {
            remote = cluster.accumulator();
        }
        return remote;
    }

    private void withhold(ThreadClock thread, Reason reason, int step) {
        if (withheld.size() == WITHHELD) {
            withheld.removeFirst();
        }
        withheld.addLast(new Gap(reason, step, thread, thread.missed()));
    }

    /** An arrival will follow copies of a thread. @param added whether it is in addition to those expected */
    public void arriveAfterCopies(ThreadClock thread, int step, boolean added) {
        if (added) {
            events.announces(thread, step, phase, 0);
        } else {
            events.arrivesLater(thread);
        }
        // The arrival comes after whatever its thread did before it asked for it, but is ordered with the copies alone.
        own.addInTime(thread);
        requires(thread);
        lastFollowing = new FollowingArrival(thread, step, phase);
        if (!added) {
            pendingArrivals--;
        }
    }

    /** The last arrival that follows copies; null for none. */
    public FollowingArrival lastFollowing() {
        return lastFollowing;
    }

    /** The phase of a thread's last arrival; -1 for none. */
    public long lastArrival(ThreadClock thread) {
        BarrierUser user = users.get(thread);
        return user == null ? -1 : user.arrivedIn();
    }

    /** The step of the last arrival of all. */
    public int arrivalStep() {
        return arrivalStep;
    }

    // ---- waits

    /**
     * A wait for the end of a phase has passed.
     *
     * @param until the first phase whose end turns the parity that it waited for
     */
    public void passed(ThreadClock thread, long until, int step) {
        windows.add(new Window(thread, thread.time(), until, step), phase);
        thread.passesWait();
    }

    public WaitWindows windows() {
        return windows;
    }

    // ---- bytes

    /** Bytes are announced. @param alone whether no arrival belongs to it */
    public void announce(ThreadClock thread, int step, long count, boolean alone) {
        if (alone && count > 0) {
            events.announces(thread, step, phase, count);
        } else {
            events.announces(count);
        }
        requires(thread);
        bytes.announce(thread, step, count);
    }

    /** An instruction counts bytes. */
    public void count(ThreadClock thread, CopyCompletion by, long count) {
        events.comes(thread, count);
        counts(thread, by, count);
    }

    private void counts(ThreadClock thread, CopyCompletion by, long count) {
        // Who knows that the bytes are there knows that they were under way. What their thread did before is not
        // ordered.
        of(thread).addInTime(thread);
        requires(thread);
        bytes.count(by, count);
    }

    /** A copy starts whose bytes it counts. */
    public void start(ThreadClock thread, CopyCompletion copy, long count) {
        events.starts(thread, count);
        counts(thread, copy, count);
        lastCopy = copy;
    }

    /** The last copy that completes on it; null for none. */
    public CopyCompletion lastCopy() {
        return lastCopy;
    }
}
