package dev.tilewright.reference.op;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.observe.ExecutionObserver.AccessKind;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import dev.tilewright.reference.observe.ExecutionObserver.RegisterRange;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.BoundTensor;
import dev.tilewright.reference.state.DefinedBytes;
import dev.tilewright.reference.state.DeviceAddresses;
import dev.tilewright.reference.state.LaneGroup;
import dev.tilewright.reference.state.Mbarrier;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.WarpConvergence;
import java.util.List;

/**
 * The step that an operation belongs to, by which it reports what it does. An access is reported where its address is
 * resolved ({@link OpAccess}); the rest here.
 */
public final class Site {
    private static final ExecutionObserver NO_OBSERVER = new ExecutionObserver() { };

    private final ExecutionObserver observer;
    private final DeviceAddresses addresses;
    private final int step;
    private final PtxInstruction form;
    private final Effects effects;

    /** @param observer null for none @param operation null for the end of the kernel */
    public Site(ExecutionObserver observer, DeviceAddresses addresses, int step, Operation operation) {
        this.observer = observer == null ? NO_OBSERVER : observer;
        this.addresses = addresses;
        this.step = step;
        this.form = operation instanceof Operation.Instruction i ? i.form() : null;
        this.effects = form == null ? null : form.effects();
    }

    /** Whether somebody observes: where not, nothing need be gathered for a report. */
    boolean isObserved() {
        return observer != NO_OBSERVER;
    }

    /** The observer, or one that ignores everything. */
    ExecutionObserver observer() {
        return observer;
    }

    int step() {
        return step;
    }

    /** How strongly the instruction orders others; null where it does not. */
    Effects.Order order() {
        return effects == null ? null : effects.order().orElse(null);
    }

    // ---- accesses

    public OpAccess reads() {
        return access(true, false, false, Effects.Proxy.GENERIC);
    }

    public OpAccess writes() {
        return access(false, true, false, Effects.Proxy.GENERIC);
    }

    public OpAccess updates() {
        return access(true, true, false, Effects.Proxy.GENERIC);
    }

    /** Of a load, or an update, that is repeated until its value is what is waited for. */
    public OpAccess waits(boolean updates) {
        return access(true, updates, true, Effects.Proxy.GENERIC);
    }

    /** Of a tensor map, by the copy that goes through it. */
    public OpAccess mapReads() {
        return access(true, false, false, Effects.Proxy.TENSORMAP);
    }

    /** By the copy engine. */
    public OpAccess copyReads() {
        return access(true, false, false, Effects.Proxy.ASYNC);
    }

    /** By the copy engine. */
    public OpAccess copyWrites() {
        return access(false, true, false, Effects.Proxy.ASYNC);
    }

    /** By the copy engine, each element as one. */
    public OpAccess copyUpdates() {
        return access(true, true, false, Effects.Proxy.ASYNC);
    }

    private OpAccess access(boolean reads, boolean writes, boolean waits, Effects.Proxy proxy) {
        // What a reduction reads it reads weakly, and a fence that comes with a copy is no order of the copy's own
        // accesses.
        boolean ordered = form instanceof ScopedAccess || reads && writes;
        return new OpAccess(this, new AccessKind(reads, writes, ordered ? order() : null, waits, proxy, completion()));
    }

    private Effects.Completion completion() {
        return effects == null ? Effects.Completion.AT_ONCE : effects.completion();
    }

    DeviceAddresses addresses() {
        return addresses;
    }

    // ---- the block, its warps and its cluster

    void reachesSync(ThreadState t) {
        observer.reachesSync(t.block.index(), t.index, step);
    }

    void syncThreads(ThreadState t) {
        observer.syncThreads(t.block.index(), step);
    }

    /**
     * A thread reaches an instruction that a whole warp, or a warpgroup, performs together.
     *
     * @return whether it is the last; see {@link WarpConvergence#arrive}
     */
    boolean comesTogether(WarpConvergence which, ThreadState t, int pc, long a, long b) {
        if (!which.arrive(t, pc, a, b)) {
            return false;
        }
        if (isObserved()) {
            // Of a warpgroup, the threads of each warp wait for each other.
            for (int first = which.firstOf(t); first <= which.last(t); first += Warp.LANES) {
                int lanes = Math.min(Warp.LANES, which.last(t) + 1 - first);
                observer.lanesMeet(t.block.index(), first / Warp.LANES, -1 >>> Warp.LANES - lanes,
                        step, false);
            }
        }
        return true;
    }

    /** A thread reaches an instruction that a whole warp performs together, whatever its threads hand in. */
    boolean warpComes(ThreadState t, int pc) {
        return comesTogether(t.block.warps(), t, pc, 0, 0);
    }

    /** The thread's warp has performed something together. */
    void warp(ThreadState t) {
        observer.warp(t.block.index(), WarpConvergence.first(t), t.block.warps().last(t), step);
    }

    /** Lanes have come to an instruction that they perform together. @param orders whether it orders memory accesses */
    void lanesMeet(BlockState block, LaneGroup lanes, boolean orders) {
        observer.lanesMeet(block.index(), lanes.warp(), lanes.lanes(), step, orders);
    }

    void namedArrives(BlockState block, LaneGroup lanes, int barrier, boolean waits) {
        observer.namedArrives(block.index(), lanes.warp(), lanes.lanes(), step, barrier, waits);
    }

    void namedOpens(BlockState block, int barrier, List<ThreadState> waiting) {
        if (isObserved()) {
            observer.namedOpens(block.index(), barrier, waiting.stream().map(t -> t.index).toList());
        }
    }

    void clusterArrive(ThreadState t) {
        if (isObserved()) {
            Effects.Order order = order();
            observer.clusterArrive(t.block.index(), t.index, step,
                    order == null || order.semantics() != Effects.Semantics.RELAXED,
                    t.block.cluster().barrier().opened());
        }
    }

    void clusterWait(ThreadState t) {
        observer.clusterWait(t.block.index(), t.index, step);
    }

    void fence(ThreadState t) {
        observer.fence(t.block.index(), t.index, step, form);
    }

    void awaitsPriorGrid(ThreadState t) {
        observer.awaitsPriorGrid(t.block.index(), t.index, step);
    }

    // ---- tensor maps in global memory; kernel parameters are none

    /** The thread's warp has written a map and released it. */
    void mapPublished(ThreadState t, ResolvedAddress.InGlobal map) {
        DeviceAddresses.Known known = map.memory().known();
        if (known.piece() >= 0) {
            observer.mapPublished(t.block.index(), t.index, step, known.piece(), known.offset() + map.offset(),
                    order().scope());
        }
    }

    void mapAcquired(ThreadState t, ResolvedAddress.InGlobal map) {
        DeviceAddresses.Known known = map.memory().known();
        if (known.piece() >= 0) {
            observer.mapAcquired(t.block.index(), t.index, step, known.piece(), known.offset() + map.offset(),
                    order().scope());
        }
    }

    void mapUsed(ThreadState t, ResolvedAddress.InGlobal map) {
        DeviceAddresses.Known known = map.memory().known();
        if (known.piece() >= 0) {
            observer.mapUsed(t.block.index(), t.index, step, known.piece(), known.offset() + map.offset());
        }
    }

    /** A value that comes from bytes which nothing has written matters here. */
    void undefinedReaches(ThreadState t, UnwrittenRead read, Reach reach) {
        observer.undefinedReaches(t.block.index(), t.index, step, read, reach);
    }

    /** What the thread has just read from shared memory goes to global memory, all of it. */
    void storesWhatWasRead(ThreadState t) {
        if (t.undefined.read != null) {
            undefinedReaches(t, t.undefined.read, Reach.MEMORY);
        }
    }

    /** The box that the thread's copy has just been seen to read goes to the tensor, as far as it is inside. */
    void storesBox(ThreadState t, BoundTensor tensor, TensorBox box, int[] coordinates, int address) {
        if (t.undefined.read != null) {
            box.forEachStored(tensor.memory(), coordinates, address, (at, bytes) -> storesBytes(t, at, bytes));
        }
    }

    /** Bytes of the block's shared memory, which the thread's copy has just been reported to read, go to memory. */
    void storesBytes(ThreadState t, int address, int bytes) {
        if (t.undefined.read == null) {
            return;
        }
        DefinedBytes defined = t.block.defined();
        int first = defined.firstUndefined(address, bytes);
        if (first >= 0) {
            undefinedReaches(t, defined.origin(first, address + bytes, t, step, t.block), Reach.MEMORY);
        }
    }

    void exits(ThreadState t) {
        observer.exits(t.block.index(), t.index, step);
    }

    // ---- mbarriers

    /** The barrier that an operation uses, which must be initialised. */
    Mbarrier use(ThreadState t, BarrierRef ref) {
        return valid(t, ref.any(t));
    }

    /** A barrier that must be initialised. */
    Mbarrier valid(ThreadState t, Mbarrier b) {
        if (!b.isValid()) {
            observer.barrierMissing(t.block.index(), t.index, step, b.owner(), b.address(), b.name());
        }
        b.requireInitialised();
        return b;
    }

    void init(ThreadState t, Mbarrier b, long arrivals) {
        observer.barrierInit(t.block.index(), t.index, step, b.owner(), b.address(), b.name(), arrivals);
    }

    void invalidate(ThreadState t, Mbarrier b) {
        observer.barrierInvalidated(t.block.index(), t.index, step, b.owner(), b.address());
    }

    void arrives(ThreadState t, Mbarrier b, long count, boolean drops) {
        observer.arrives(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), order(), count, drops);
    }

    void expects(ThreadState t, Mbarrier b, long bytes, boolean alone) {
        observer.expects(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), bytes, alone);
    }

    void completesTx(ThreadState t, Mbarrier b, long bytes) {
        observer.completesTx(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), bytes);
    }

    void parityPassed(ThreadState t, Mbarrier b, long parity) {
        observer.parityPassed(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), parity, order());
    }

    void tokenPassed(ThreadState t, Mbarrier b, long token) {
        observer.tokenPassed(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), b.phaseOf(token),
                order());
    }

    /** @param parity or -1, where it waits with a token */
    void blocked(ThreadState t, Mbarrier b, long parity) {
        observer.blocked(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), parity);
    }

    // ---- products of warpgroups; the thread is the warpgroup's first

    /** @param a null where it is in shared memory */
    void wgmmaStarts(ThreadState t, RegisterMatrix d, RegisterMatrix a) {
        if (isObserved()) {
            observer.wgmmaStarts(t.block.index(), t.index, step, d.range(t), a == null ? null : a.range(t));
        }
    }

    void registers(ThreadState t, RegisterRange range, boolean writes) {
        observer.registers(t.block.index(), t.index, step, range, writes);
    }

    void wgmmaFence(ThreadState t) {
        observer.wgmmaFence(t.block.index(), t.index, step);
    }

    void wgmmaCommit(ThreadState t) {
        observer.wgmmaCommit(t.block.index(), t.index, step);
    }

    void wgmmaWait(ThreadState t, int pending) {
        observer.wgmmaWait(t.block.index(), t.index, step, pending);
    }

    // ---- copies

    void cpCommit(ThreadState t) {
        observer.cpCommit(t.block.index(), t.index, step);
    }

    void cpWait(ThreadState t, int pending) {
        observer.cpWait(t.block.index(), t.index, step, pending);
    }

    void cpArrive(ThreadState t, Mbarrier b, boolean added) {
        observer.cpArrive(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), added);
    }

    void bulkCommit(ThreadState t) {
        observer.bulkCommit(t.block.index(), t.index, step);
    }

    void bulkWait(ThreadState t, int pending, boolean read) {
        observer.bulkWait(t.block.index(), t.index, step, pending, read);
    }

    /**
     * A copy starts that a barrier counts. @param mask blocks that it goes to, by their ranks; 0 where it has one
     * destination
     */
    void copyStarts(ThreadState t, Mbarrier b, int counted, int mask) {
        observer.copyStarts(t.block.index(), t.index, step, b.owner(), b.address(), b.phase(), counted, mask);
    }

    /** A copy starts in the thread's open bulk group. */
    void storeStarts(ThreadState t) {
        observer.storeStarts(t.block.index(), t.index, step);
    }

    /**
     * Reports how the box of a copy lies in shared memory, and whether that is where its swizzle's pattern is shifted.
     */
    void box(ThreadState t, BlockState owner, int address, TensorBox box) {
        observer.boxLies(t.block.index(), t.index, step, box.swizzle());
        if (address % box.swizzlePeriod() != 0) {
            observer.misplacedBox(t.block.index(), t.index, step, owner.index(), address, box.swizzlePeriod());
        }
    }
}
