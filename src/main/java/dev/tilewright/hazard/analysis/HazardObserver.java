package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.List;

/** Hands each event of a run to the part of the analysis that it concerns, in that part's terms. */
final class HazardObserver implements ExecutionObserver {
    private final HazardAnalysis parts;
    private final RunState run;
    private final MemoryTracker memory;
    private final MeetingTracker meetings;
    private final BarrierTracker barriers;
    private final CopyTracker copies;

    HazardObserver(HazardAnalysis parts) {
        this.parts = parts;
        this.run = parts.run;
        this.memory = parts.memory;
        this.meetings = parts.meetings;
        this.barriers = parts.barriers;
        this.copies = parts.copies;
    }

    @Override
    public void starts(Shape shape) {
        parts.starts(shape.pieces());
    }

    // ---- accesses

    @Override
    public void shared(int block, int thread, int step, AccessKind kind, int owner, int address, int bytes) {
        switch (kind.completion()) {
            case AT_ONCE ->
                    memory.shared(run.event(block, thread), step, kind(step, kind), kind.order(), owner, address,
                            bytes);
            case CP_ASYNC_GROUP -> copies.cpAsyncWrites(run.event(block, thread), step, address, bytes);
            case WGMMA_GROUP -> parts.products.readsShared(owner, address, bytes);
            case BULK_GROUP, MBARRIER, MBARRIER_ARRIVAL, NOT_OBSERVED ->
                    copies.touchesShared(copyKind(kind), scopeOf(kind), owner, address, bytes);
        }
    }

    @Override
    public void global(int block, int thread, int step, AccessKind kind, int piece, long offset, long bytes) {
        if (kind.waits()) {
            waitsInLoop(block, thread, step);
        }
        if (kind.proxy() == Effects.Proxy.TENSORMAP) {
            copies.readsMap(piece, offset, (int) bytes);
            return;
        }
        switch (kind.completion()) {
            case AT_ONCE ->
                    memory.global(run.event(block, thread), step, kind(step, kind), kind.order(), piece, offset, bytes);
            case CP_ASYNC_GROUP -> copies.cpAsyncReads(run.event(block, thread), step, piece, offset, bytes);
            case BULK_GROUP, MBARRIER, MBARRIER_ARRIVAL, NOT_OBSERVED ->
                    copies.touchesGlobal(copyKind(kind), scopeOf(kind), piece, offset, bytes);
        }
    }

    private static Scope scopeOf(AccessKind kind) {
        return kind.order() == null ? null : kind.order().scope();
    }

    private static int copyKind(AccessKind of) {
        int kind = what(of);
        return (kind == ShadowAccess.UPDATE ? kind | ShadowAccess.MEETING : kind)
                | (of.proxy() == Effects.Proxy.ASYNC ? ShadowAccess.ASYNC : 0);
    }

    private int kind(int step, AccessKind of) {
        int kind = what(of);
        boolean waits = of.waits() || kind == ShadowAccess.READ && of.order() != null && parts.facts.isWait(step);
        boolean meets = of.waits() || of.order() != null && switch (kind) {
            case ShadowAccess.UPDATE -> true;
            case ShadowAccess.WRITE -> of.order().semantics() != Semantics.RELAXED;
            default -> parts.facts.looks(step);
        };
        if (meets && kind == ShadowAccess.READ && parts.facts.looksAgain(step)) {
            kind |= ShadowAccess.OPEN;
        }
        return (waits ? ShadowAccess.WAITING : 0) | (meets ? kind | ShadowAccess.MEETING : kind)
                | (what(of) == ShadowAccess.UPDATE && parts.facts.decides(step) ? ShadowAccess.DECIDING : 0);
    }

    private static int what(AccessKind of) {
        return !of.writes() ? ShadowAccess.READ : of.reads() ? ShadowAccess.UPDATE : ShadowAccess.WRITE;
    }

    // ---- meetings

    @Override
    public void reachesSync(int block, int thread, int step) {
        meetings.reachesSync(run.event(block, thread), step);
    }

    @Override
    public void syncThreads(int block, int step) {
        meetings.blockMeets(block, step);
    }

    @Override
    public void warp(int block, int first, int last, int step) {
        meetings.warpMeets(block, first, last);
    }

    @Override
    public void lanesMeet(int block, int warp, int lanes, int step, boolean orders) {
        meetings.lanesMeet(block, warp, lanes, orders);
    }

    @Override
    public void namedArrives(int block, int warp, int lanes, int step, int barrier, boolean waits) {
        meetings.arrivesAtNamed(block, warp, lanes, step, barrier, waits);
    }

    @Override
    public void namedOpens(int block, int barrier, List<Integer> waiting) {
        meetings.namedOpens(block, barrier, waiting);
    }

    @Override
    public void clusterArrive(int block, int thread, int step, boolean release, long opened) {
        meetings.arrivesAtCluster(run.event(block, thread), opened, release, step);
    }

    @Override
    public void clusterWait(int block, int thread, int step) {
        meetings.passesCluster(run.event(block, thread));
    }

    @Override
    public void fence(int block, int thread, int step, PtxInstruction form) {
        if (form instanceof FenceInstruction fence) {
            CheckedThread by = ordersOthers(block, thread, step);
            meetings.fence(by, fence, step);
            if (fence instanceof FenceProxyTensormapRelease release) {
                parts.maps.released(by, step, release.scope());
            }
        }
    }

    /** The thread, which has performed a step that orders others. */
    private CheckedThread ordersOthers(int block, int thread, int step) {
        CheckedThread by = run.event(block, thread);
        by.did(step, run.event());
        return by;
    }

    @Override
    public void awaitsPriorGrid(int block, int thread, int step) {
        parts.awaitsPriorGrid(run.event(block, thread));
    }

    // ---- tensor maps

    @Override
    public void mapPublished(int block, int thread, int step, int piece, long offset, Scope scope) {
        parts.maps.published(run.event(block, thread), step, piece, offset, scope);
    }

    @Override
    public void mapAcquired(int block, int thread, int step, int piece, long offset, Scope scope) {
        parts.maps.acquired(run.event(block, thread), step, piece, offset, scope);
    }

    @Override
    public void mapUsed(int block, int thread, int step, int piece, long offset) {
        parts.maps.used(run.event(block, thread), step, piece, offset);
    }

    // ---- mbarriers

    @Override
    public void barrierInit(int block, int thread, int step, int owner, int address, String name, long arrivals) {
        barriers.initialised(run.event(block, thread), step, owner, address, name, arrivals);
        run.cluster(block).log.initialised(owner, address);
    }

    @Override
    public void barrierInvalidated(int block, int thread, int step, int owner, int address) {
        barriers.invalidated(run.event(block, thread), step, owner, address);
    }

    @Override
    public void barrierMissing(int block, int thread, int step, int owner, int address, String name) {
        barriers.notInitialised(run.event(block, thread), step, owner, address, name);
    }

    @Override
    public void arrives(int block, int thread, int step, int owner, int address, long phase, Effects.Order order,
            long count, boolean drops) {
        CheckedThread arriving = run.event(block, thread);
        barriers.arrives(arriving, step, owner, address, phase, order, count, drops);
        arriving.cluster.log.arrives(arriving, step, owner, address, phase, count, order, run.event());
    }

    @Override
    public void expects(int block, int thread, int step, int owner, int address, long phase, long bytes,
            boolean alone) {
        barriers.announces(run.event(block, thread), step, owner, address, phase, bytes, alone);
    }

    @Override
    public void completesTx(int block, int thread, int step, int owner, int address, long phase, long bytes) {
        barriers.counts(run.event(block, thread), step, owner, address, phase, bytes);
    }

    @Override
    public void parityPassed(int block, int thread, int step, int owner, int address, long phase, long parity,
            Effects.Order order) {
        CheckedThread passing = run.event(block, thread);
        barriers.parityPassed(passing, step, owner, address, phase, parity, order);
        waitsInLoop(block, thread, step);
        passing.cluster.log.passes(passing, step, owner, address, phase - 1, order, run.event());
    }

    @Override
    public void tokenPassed(int block, int thread, int step, int owner, int address, long phase, long tokenPhase,
            Effects.Order order) {
        CheckedThread passing = run.event(block, thread);
        barriers.tokenPassed(passing, step, owner, address, phase, tokenPhase, order);
        waitsInLoop(block, thread, step);
        passing.cluster.log.passes(passing, step, owner, address, tokenPhase, order, run.event());
    }

    private void waitsInLoop(int block, int thread, int step) {
        if (parts.facts.isPoll(step)) {
            parts.registers.waitsInLoop(block, thread, step);
        }
    }

    @Override
    public void blocked(int block, int thread, int step, int owner, int address, long phase, long parity) {
        barriers.blocks(run.event(block, thread), step, owner, address, phase, parity);
    }

    // ---- cp.async

    @Override
    public void cpCommit(int block, int thread, int step) {
        copies.cpAsyncCommit(ordersOthers(block, thread, step), step);
    }

    @Override
    public void cpWait(int block, int thread, int step, int pending) {
        copies.cpAsyncWait(ordersOthers(block, thread, step), step, pending);
    }

    @Override
    public void cpArrive(int block, int thread, int step, int owner, int address, long phase, boolean added) {
        CheckedThread arriving = run.event(block, thread);
        copies.cpAsyncArrive(arriving, step, owner, address, phase, added);
        if (!added) {
            arriving.cluster.log.arrives(arriving, step, owner, address, phase, 1, null,
                    run.event());
        }
    }

    // ---- bulk and tensor copies

    @Override
    public void copyStarts(int block, int thread, int step, int owner, int address, long phase, int counted, int mask) {
        CheckedThread copying = run.event(block, thread);
        copies.startsOnBarrier(copying, step, owner, address, phase, counted, mask);
        copying.cluster.log.brings(copying, owner, address, phase, mask);
    }

    @Override
    public void storeStarts(int block, int thread, int step) {
        copies.startsInGroup(run.event(block, thread), step);
    }

    @Override
    public void boxLies(int block, int thread, int step, Swizzle swizzle) {
        copies.boxLies(swizzle);
    }

    @Override
    public void misplacedBox(int block, int thread, int step, int owner, int address, int period) {
        copies.misplacedBox(run.event(block, thread), step, owner, address, period);
    }

    @Override
    public void bulkCommit(int block, int thread, int step) {
        copies.bulkCommit(ordersOthers(block, thread, step), step);
    }

    @Override
    public void bulkWait(int block, int thread, int step, int pending, boolean read) {
        copies.bulkWait(ordersOthers(block, thread, step), step, pending, read);
    }

    // ---- products of a warpgroup

    @Override
    public void wgmmaStarts(int block, int first, int step, RegisterRange sums, RegisterRange a) {
        parts.products.starts(block, first, step);
        parts.registers.starts(block, first, step, sums, a);
    }

    @Override
    public void matrixRead(int block, int first, int step, Swizzle swizzle) {
        parts.products.readsMatrix(swizzle);
    }

    @Override
    public void wgmmaFence(int block, int first, int step) {
        parts.registers.fence(block, first, step);
    }

    @Override
    public void wgmmaCommit(int block, int first, int step) {
        parts.products.commit(block, first, step);
        parts.registers.commit(block, first, step);
    }

    @Override
    public void wgmmaWait(int block, int first, int step, int pending) {
        parts.products.waits(block, first, step, pending);
        parts.registers.waits(block, first, step, pending);
    }

    @Override
    public void registers(int block, int thread, int step, RegisterRange range, boolean writes) {
        parts.registers.uses(block, thread, step, range, writes);
    }

    // ---- bytes that nothing has written

    @Override
    public void undefinedReaches(int block, int thread, int step, UnwrittenRead read, Reach reach) {
        CheckedThread user = run.event(block, thread);
        parts.unwritten.reaches(user.cluster.thread(read.block(), read.thread()), read, user, step, reach);
    }

    // ---- the end

    @Override
    public void exits(int block, int thread, int step) {
        CheckedThread ended = run.event(block, thread);
        parts.ends.exits(ended);
        if (ended.cluster.isOver()) {
            parts.maps.forget(ended.cluster);
        }
    }

    @Override
    public void waitsForEver(int block, int thread, int step, Waits what) {
        run.cluster(block).thread(block, thread).stuck = new CheckedThread.Stuck(step, what);
    }

    @Override
    public void globalValueStays(int block, int thread, int step, int piece, long offset, int bytes, long value) {
        run.cluster(block).thread(block, thread).stays = new CheckedThread.Stays(value,
                memory.lastWrites(piece, offset, bytes).stream().findFirst().orElse(null));
    }

    @Override
    public void clashes(int block, int thread, int step) {
        parts.stops.clashes(run.event(block, thread), step);
    }

    @Override
    public void fault(int block, int thread, int step, Kind kind, String sentence) {
        parts.stops.fault(run.event(block, thread), step, kind, sentence);
    }
}
