package dev.tilewright.hazard;

import dev.tilewright.hazard.ClusterShadow.Block;
import dev.tilewright.hazard.Done.By;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Fence;
import dev.tilewright.ptx.FenceMbarrierInit;
import dev.tilewright.ptx.FenceProxyAsync;
import dev.tilewright.ptx.FenceProxyAsyncRestrict;
import dev.tilewright.ptx.FenceSyncRestrict;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.reference.ReferenceException;
import dev.tilewright.reference.ReferenceException.Kind;
import dev.tilewright.reference.Watch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the shadow state while the reference runs, and reports what nothing orders. */
final class Tracker implements Watch {
    private final Findings findings;
    private final Verdict verdict;
    private final Map<Integer, ClusterShadow> running = new HashMap<>();
    /** The cluster that was told of last. */
    private ClusterShadow latest;
    private final Flags flags = new Flags();
    private Shape shape;
    private GlobalShadow global;
    private long tick;
    private long bytes;
    private boolean faulted;

    // ---- the copy that is being told of
    private Actor copier;
    private int copyStep;
    private Done reading;
    private Done writing;

    Tracker(Findings findings) {
        this.findings = findings;
        this.verdict = new Verdict(findings);
    }

    long bytes() {
        return bytes;
    }

    boolean faulted() {
        return faulted;
    }

    @Override
    public void starts(Shape of) {
        shape = of;
        global = new GlobalShadow(of.pieces(), verdict);
    }

    private ClusterShadow cluster(int block) {
        int index = block / shape.clusterBlocks();
        if (latest != null && latest.index == index) {
            return latest;
        }
        ClusterShadow c = running.get(index);
        if (c == null) {
            c = new ClusterShadow(index, shape.clusterBlocks(), shape.threads());
            for (int i = 0; i < c.blocks.length; i++) {
                int owner = index * c.blocks.length + i;
                c.blocks[i] = new Block(owner, new Shadow(shape.sharedBytes(), new SharedJudge(owner)), shape.threads(),
                        c.actors().length);
            }
            running.put(index, c);
        }
        latest = c;
        return c;
    }

    private Actor actor(int block, int thread) {
        tick++;
        return cluster(block).actor(block, thread);
    }

    /** Whether an access may come after another one. @param lane what the copy engine has to look at for this memory */
    static boolean isOrdered(Touch before, Touch now, int lane) {
        Actor t = now.actor;
        if (before.scope != Touch.WEAK && now.scope != Touch.WEAK && mayMeet(before, now) && reaches(before, now) && reaches(now, before)) {
            return true;
        }
        boolean throughFence = now.isAsync() && before.writes();
        if (before.done == null) {
            return before.actor == t && !throughFence
                    || t.knows(before.actor.cluster, before.actor.slot, throughFence ? lane : Clock.ORDERED) >= before.stamp;
        }
        return before.done == now.done && before.step == now.step || t.knows(before.done, throughFence && !before.isAsync() ? lane : Clock.ORDERED);
    }

    /** Whether two accesses with a scope are taken to be meant to come in any order. */
    private static boolean mayMeet(Touch a, Touch b) {
        return a.isMeeting() && b.isMeeting() || a.isMeeting() && !a.writes() || b.isMeeting() && !b.writes();
    }

    private static boolean reaches(Touch from, Touch to) {
        return Flags.reaches(from.scope, from.actor, to.actor);
    }

    private final class SharedJudge implements Shadow.Judge {
        private final int owner;

        SharedJudge(int owner) {
            this.owner = owner;
        }

        @Override
        public boolean isOrdered(Touch before, Touch now) {
            return Tracker.isOrdered(before, now, Clock.FOR_SHARED);
        }

        @Override
        public void conflict(Touch before, Touch now, int at, int count) {
            verdict.conflict(before, now, findings.shared(owner, at, count), Clock.FOR_SHARED);
        }
    }

    // ---- ordinary accesses

    private static int kind(Manner m) {
        int kind = m.writes() ? m.reads() ? Touch.UPDATE : Touch.WRITE : Touch.READ;
        boolean meets = m.waits() || m.order() != null && (kind == Touch.UPDATE || m.order().semantics() != Semantics.RELAXED);
        return meets ? kind | Touch.MEETING : kind;
    }

    private static int scope(Effects.Order order) {
        return order == null ? Touch.WEAK : order.scope().ordinal();
    }

    @Override
    public void shared(int block, int thread, int step, Manner manner, int owner, int address, int count) {
        Actor a = actor(block, thread);
        bytes += count;
        Block target = a.cluster.block(owner);
        long key = flagKey(owner, address);
        if (manner.reads()) {
            flags.read(a, step, manner.order(), key);
        }
        Touch touch = a.touch(step, kind(manner), scope(manner.order()), null);
        if (owner != block) {
            target.guests.put(a, touch);
        }
        target.shared.touch(address, count, touch);
        if (manner.writes()) {
            flags.write(a, manner.order(), manner.reads(), key);
        }
    }

    private static long flagKey(int owner, int address) {
        return Long.MIN_VALUE | (long) owner << 24 | address;
    }

    @Override
    public void global(int block, int thread, int step, Manner manner, int piece, long offset, int count) {
        Actor a = actor(block, thread);
        bytes += count;
        long key = (long) piece << 48 | offset;
        if (manner.reads()) {
            flags.read(a, step, manner.order(), key);
        }
        global.touch(piece, offset, count, a.touch(step, kind(manner), scope(manner.order()), null));
        if (manner.writes()) {
            flags.write(a, manner.order(), manner.reads(), key);
        }
    }

    // ---- meetings

    @Override
    public void comesToSync(int block, int thread, int step) {
        actor(block, thread).atSync = step;
    }

    @Override
    public void syncThreads(int block, int step) {
        tick++;
        cluster(block).meet(block, 0, shape.threads() - 1);
    }

    @Override
    public void warp(int block, int first, int last, int step) {
        cluster(block).meet(block, first, last);
    }

    @Override
    public void clusterArrive(int block, int thread, int step, boolean release, long opened) {
        Actor a = actor(block, thread);
        if (!release) {
            for (Barrier b : a.cluster.block(block).barriers()) {
                if (b.by == a && b.fencedAt != Done.NEVER) {
                    b.shownBy = Math.min(b.shownBy, opened + 1);
                }
            }
        }
        a.cluster.arrive(a, opened, release);
    }

    @Override
    public void clusterWait(int block, int thread, int step) {
        Actor a = actor(block, thread);
        a.cluster.pass(a);
    }

    @Override
    public void fence(int block, int thread, int step, PtxInstruction form) {
        Actor a = actor(block, thread);
        switch (form) {
            case FenceProxyAsync f -> {
                boolean shared = f.memory() != FenceProxyAsync.Memory.GLOBAL;
                boolean inGlobal = f.memory() == FenceProxyAsync.Memory.GLOBAL || f.memory() == FenceProxyAsync.Memory.ALL;
                a.proxyFence(shared, inGlobal);
                if (shared) {
                    barriersFenced(a);
                }
            }
            case FenceProxyAsyncRestrict _ -> a.proxyFence(true, false);
            case FenceMbarrierInit _ -> barriersFenced(a);
            case Fence f -> flags.fence(a, f.strength() != Fence.Strength.RELEASE, f.strength() != Fence.Strength.ACQUIRE);
            case FenceSyncRestrict f -> flags.fence(a, !f.release(), f.release());
            case null, default -> { }
        }
    }

    private void barriersFenced(Actor a) {
        for (Barrier b : a.cluster.block(a.block).barriers()) {
            if (b.by == a && b.fencedAt == Done.NEVER) {
                b.fencedAt = a.own;
            }
        }
    }

    // ---- mbarriers

    @Override
    public void barrierInit(int block, int thread, int step, int owner, int address, String name, long arrivals) {
        Actor a = actor(block, thread);
        Barrier b = new Barrier(a, step, owner, address, name, arrivals);
        a.cluster.block(owner).put(address, b);
        a.tell();
    }

    @Override
    public void barrierInvalidated(int block, int thread, int step, int owner, int address) {
        Actor a = actor(block, thread);
        a.cluster.block(owner).remove(address);
    }

    @Override
    public void barrierMissing(int block, int thread, int step, int owner, int address, String name) {
        Actor a = actor(block, thread);
        findings.add(HazardCode.BARRIER_NOT_INITIALISED, step, block, findings.shared(owner, address, 8), findings.access(step, a, "uses"), null,
                "thread " + thread + " uses barrier " + name + (owner == block ? "" : " of block " + owner) + ", which is not initialised",
                "nothing makes sure that it is", "initialise it before, and let the threads meet in between", null);
        faulted = true;
    }

    /** The barrier that a thread uses, after what has happened to it since; whether the thread may use it is looked at. */
    private Barrier use(Actor a, int step, int owner, int address, long phase, boolean byCopyEngine) {
        Barrier b = a.cluster.block(owner).barrier(address);
        if (b == null) {
            return null;
        }
        b.advance(phase);
        if (b.hasMissed()) {
            windowsMissed(b);
        }
        boolean shown = b.by == a || a.knows(a.cluster, b.by.slot, Clock.ORDERED) >= b.stamp || a.clusterPassed >= b.shownBy;
        boolean fenced = !byCopyEngine || a.knows(a.cluster, b.by.slot, Clock.FOR_SHARED) >= b.stamp
                || b.fencedAt != Done.NEVER && (b.by == a || a.knows(a.cluster, b.by.slot, Clock.ORDERED) >= b.fencedAt
                || a.clusterPassed >= b.shownBy);
        if (!(shown && fenced) && !findings.has(HazardCode.BARRIER_INIT_NOT_VISIBLE, step, b.step)) {
            findings.add(HazardCode.BARRIER_INIT_NOT_VISIBLE, step, a.block, findings.shared(owner, address, 8), findings.access(step, a, "uses"),
                    findings.access(b.step, b.by, "initialises"), "thread " + a.thread + (shown ? " lets the copy engine use" : " uses")
                    + " barrier " + b.name + ", which thread " + b.by.thread + " of block " + b.by.block + " initialises in step " + b.step,
                    shown ? "nothing makes the initialisation known to the copy engine" : "nothing orders the two threads",
                    shown ? "put fence.mbarrier_init behind the initialisation" : "let the threads meet in between", null);
        }
        return b;
    }

    private void windowsMissed(Barrier b) {
        for (Barrier.Window w : b.takeMissed()) {
            if (!findings.has(HazardCode.WRONG_PARITY, w.step(), 0)) {
                findings.add(HazardCode.WRONG_PARITY, w.step(), w.actor().block, findings.shared(b.owner, b.address, 8),
                        findings.access(w.step(), w.actor(), "waits"), null, findings.access(w.step(), w.actor(), "waits") + " for barrier "
                        + b.name + ", whose phase " + w.phase() + " may be complete by then", "the wait then is for one phase more, or for ever",
                        "let no phase complete before all have passed their wait for the one before, or wait for the other parity", null);
            }
        }
    }

    @Override
    public void arrives(int block, int thread, int step, int owner, int address, long phase, Effects.Order order, long count, boolean drops) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b != null) {
            boolean reaches = owner == block || order != null && order.scope() != Scope.CTA;
            boolean releases = reaches && (order == null || order.semantics() != Semantics.RELAXED);
            b.arrive(a, step, count, drops, reaches && a.fenced != null ? a.fenced.clock() : null, releases);
            requireRoom(a, step, b);
        }
    }

    /** Arrivals that follow copies are under way: with them, a phase may have more arrivals than it takes. */
    private void requireRoom(Actor a, int step, Barrier b) {
        if (b.pendingArrivals() < 0 && !findings.has(HazardCode.WRONG_ARRIVAL_COUNT, b.step, step)) {
            findings.add(HazardCode.WRONG_ARRIVAL_COUNT, b.step, b.owner, null, null, findings.access(step, a, "arrives"),
                    findings.access(step, a, "arrives") + " at barrier " + b.name + ", whose phase " + b.phase + " takes "
                    + b.expectedArrivals() + " arrivals and has got all of them, those that follow copies under way included",
                    "it completes without one of them", "initialise it for as many arrivals as a phase gets", null);
        }
    }

    @Override
    public void expects(int block, int thread, int step, int owner, int address, long phase, long count, boolean alone) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b == null) {
            return;
        }
        b.comes(a);
        b.expectedBytes += count;
        b.expectStep = step;
        b.expectedBy = a;
        if (!alone) {
            return;
        }
        if (b.shortPhase == phase - 1 && b.shortPhase >= 0) {
            findings.add(HazardCode.TX_LATE, step, block, null, findings.access(step, a, "announces bytes"),
                    findings.access(b.shortCopy.step, b.shortCopy.actor, "copies"), "bytes are announced for phase " + phase + " of barrier " + b.name
                    + ", when phase " + b.shortPhase + ", in which their copy started, is complete", "",
                    "announce them before the arrival, or with it", null);
            b.shortPhase = -1;
        } else if (b.lastArrival(a) == phase - 1 && phase > 0) {
            b.latePhase = phase;
            b.lateStep = step;
            b.lateBy = a;
        }
    }

    @Override
    public void completesTx(int block, int thread, int step, int owner, int address, long phase, long count) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b != null) {
            b.comes(a);
            b.startedBytes += count;
            b.lastCounted = new Done(a, step, tick, b, phase);
        }
    }

    @Override
    public void parityPassed(int block, int thread, int step, int owner, int address, long phase, long parity, Effects.Order order) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b == null) {
            return;
        }
        a.blockedAt = null;
        // Whatever the phase is by now: the wait promises no more than that the next one unknown has completed, and that only
        // if it has this parity.
        int known = a.knows(a.cluster, b.slot, Clock.ORDERED);
        if (a.seenStrongly != null) {
            known = Math.max(known, a.seenStrongly.get(b.slot, Clock.ORDERED));
        }
        boolean vain = (known & 1) != parity;
        a.lastWait = new Actor.Waited(b, step, vain, tick);
        if (vain) {
            b.vain = a.lastWait;
            b.passed(a, known, step);
            return;
        }
        b.passed(a, known + 1L, step);
        b.overran |= phase > known + 1;
        passed(a, b, known, order, step);
    }

    @Override
    public void tokenPassed(int block, int thread, int step, int owner, int address, long phase, long tokenPhase, Effects.Order order) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b != null) {
            a.blockedAt = null;
            a.lastWait = new Actor.Waited(b, step, false, tick);
            b.passed(a, tokenPhase + 1, step);
            passed(a, b, tokenPhase, order, step);
        }
    }

    private void passed(Actor a, Barrier b, long phase, Effects.Order order, int step) {
        Clock clock = b.clock(phase, order != null && order.scope() != Scope.CTA);
        if (order != null && order.semantics() == Semantics.RELAXED) {
            flags.seen(a, clock, step);
        } else {
            a.learn(clock);
        }
    }

    @Override
    public void blocked(int block, int thread, int step, int owner, int address, long phase, long parity) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        a.blockedAt = b;
        a.blockedStep = step;
        a.blockedParity = parity;
    }

    // ---- cp.async

    @Override
    public void cpAsync(int block, int thread, int step, int address, int count, int piece, long offset, int read) {
        Actor a = actor(block, thread);
        bytes += count + read;
        Done done = a.copies().open.isEmpty() ? null : a.copies().open.getLast();
        if (done == null || done.step != step || done.barrier != null) {
            done = new Done(By.CP_ASYNC, a, step, tick);
            a.copies().open.add(done);
        }
        a.cluster.block(block).shared.touch(address, count, a.touch(step, Touch.WRITE, Touch.WEAK, done));
        if (read > 0 && piece >= 0) {
            global.touch(piece, offset, read, a.touch(step, Touch.READ, Touch.WEAK, done));
        }
    }

    @Override
    public void cpCommit(int block, int thread, int step) {
        actor(block, thread).copies().commit();
    }

    @Override
    public void cpWait(int block, int thread, int step, int pending) {
        Actor a = actor(block, thread);
        a.copies().waited(step, tick, pending, a.own);
        while (a.copies().closed.size() > pending) {
            for (Done done : a.copies().closed.remove()) {
                done.at = Math.min(done.at, a.own);
                findings.waitedFor(done.step);
            }
        }
    }

    @Override
    public void cpArrive(int block, int thread, int step, int owner, int address, long phase, boolean added) {
        Actor a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b == null) {
            return;
        }
        b.comes(a);
        b.arriveLater(added);
        requireRoom(a, step, b);
        a.copies().closed.forEach(group -> group.forEach(done -> follow(done, b, phase)));
        a.copies().open.forEach(done -> follow(done, b, phase));
    }

    private void follow(Done done, Barrier b, long phase) {
        if (done.barrier == null) {
            done.barrier = b;
            done.phase = phase;
            findings.waitedFor(done.step);
        }
    }

    // ---- bulk and tensor copies

    @Override
    public void copyStarts(int block, int thread, int step, Completion completion, int owner, int address, long phase, int counted, int mask) {
        copier = actor(block, thread);
        copyStep = step;
        if (completion == Completion.BULK_GROUP) {
            reading = new Done(By.BULK_READ, copier, step, tick);
            writing = new Done(By.BULK_WRITE, copier, step, tick);
            copier.stores().open.add(reading);
            copier.stores().open.add(writing);
            return;
        }
        Barrier b = use(copier, step, owner, address, phase, true);
        reading = new Done(copier, step, tick, b, phase);
        writing = reading;
        if (b != null) {
            b.comes(copier);
            b.startedBytes += counted;
            b.lastCopy = reading;
            b.lastCounted = reading;
        }
        if (mask != 0) {
            copier.cluster.lastMask = mask;
            copier.cluster.maskStep = step;
        }
    }

    @Override
    public void copyShared(boolean writes, boolean reduces, int owner, int address, int count) {
        bytes += count;
        Touch touch = copyTouch(writes, reduces);
        Block target = copier.cluster.block(owner);
        if (!writes && touch.done.barrier != null && touch.done.barrier.owner != owner) {
            // What is written is counted on a barrier of the same block, which is looked at when the block ends.
            target.guests.put(touch.done, touch);
        }
        target.shared.touch(address, count, touch);
    }

    @Override
    public void copyGlobal(boolean writes, boolean reduces, int piece, long offset, long count) {
        bytes += count;
        if (piece >= 0) {
            global.touch(piece, offset, count, copyTouch(writes, reduces));
        }
    }

    private Touch copyTouch(boolean writes, boolean reduces) {
        int kind = reduces && writes ? Touch.UPDATE : writes ? Touch.WRITE : Touch.READ;
        return new Touch(copier, copier.own, copyStep, kind | Touch.ASYNC | (reduces && writes ? Touch.MEETING : 0),
                reduces && writes ? Scope.CLUSTER.ordinal() : Touch.WEAK,
                writes ? writing : reading);
    }

    @Override
    public void misplacedBox(int block, int thread, int step, int owner, int address, int period) {
        if (findings.has(HazardCode.SMEM_MISALIGNED_FOR_SWIZZLE, step, 0)) {
            return;
        }
        Place place = findings.shared(owner, address, period);
        findings.add(HazardCode.SMEM_MISALIGNED_FOR_SWIZZLE, step, block, place, findings.access(step, actor(block, thread), "copies a box"), null,
                "a swizzled box lies at shared address " + address + ", byte " + place.offset() + " of '" + place.name() + "'",
                "its address must be a multiple of " + period + " for the pattern to start with it",
                "align the buffer to " + period + " and put boxes at multiples of that", null);
    }

    @Override
    public void bulkCommit(int block, int thread, int step) {
        actor(block, thread).stores().commit();
    }

    @Override
    public void bulkWait(int block, int thread, int step, int pending, boolean read) {
        Actor a = actor(block, thread);
        a.stores().waited(step, tick, pending, a.own);
        int over = a.stores().closed.size() - pending;
        for (List<Done> group : a.stores().closed) {
            if (over-- <= 0) {
                break;
            }
            for (Done done : group) {
                if (done.by == By.BULK_READ || !read) {
                    done.at = Math.min(done.at, a.own);
                    findings.waitedFor(done.step);
                }
            }
        }
        while (!read && a.stores().closed.size() > pending) {
            a.stores().closed.remove();
        }
    }

    // ---- the end

    @Override
    public void exits(int block, int thread, int step) {
        Actor a = actor(block, thread);
        if (a.hasCopied()) {
            copiesAtExit(a);
        }
        Block b = a.cluster.block(block);
        a.exited = true;
        b.ends.add(a);
        if (--b.live == 0) {
            new BlockEnd(findings, a.cluster, b).check();
            boolean over = true;
            for (Block other : a.cluster.blocks) {
                over &= other.live == 0;
            }
            if (over) {
                a.cluster.forget();
                running.remove(a.cluster.index);
                latest = null;
            }
        }
    }

    private void copiesAtExit(Actor a) {
        a.stores().commit();
        for (List<Done> group : a.stores().closed) {
            for (Done done : group) {
                if (done.by == By.BULK_READ && done.at == Done.NEVER && !findings.has(HazardCode.EXIT_IN_FLIGHT, done.step, 0)) {
                    findings.add(HazardCode.EXIT_IN_FLIGHT, done.step, a.block, null, findings.access(done.step, a, "stores asynchronously"), null,
                            "thread " + a.thread + " ends without having waited for this store to have read its source",
                            "the block's shared memory is gone when the block has ended",
                            "wait with cp.async.bulk.wait_group.read 0 before the end", null);
                }
            }
        }
        a.copies().commit();
        for (List<Done> group : a.copies().closed) {
            for (Done done : group) {
                if (done.barrier == null && !findings.hasAbout(done.step)) {
                    findings.add(HazardCode.EXIT_IN_FLIGHT, done.step, a.block, null, findings.access(done.step, a, "copies asynchronously"), null,
                            "thread " + a.thread + " ends without having waited for this copy", "nobody can use what it copies",
                            "wait for its group before the end", done);
                }
            }
        }
        a.copies().closed.clear();
    }

    @Override
    public void fault(int block, int thread, int step, Kind kind, String sentence) {
        if (!faulted) {
            Stuck.fault(findings, actor(block, thread), step, kind, sentence);
        }
        faulted = true;
    }

    /** The reference has given up. */
    void stopped(ReferenceException e) {
        if (!faulted && e.kind() == Kind.LEFT_IN_FLIGHT) {
            if (findings.isEmpty()) {
                findings.add(HazardCode.EXIT_IN_FLIGHT, findings.numberOf(e.step()), e.block(), null, null, null, e.sentence(), "", "", null);
            }
        } else if (!faulted) {
            Stuck.deadlock(findings, running.values(), e);
        }
        faulted = true;
    }
}
