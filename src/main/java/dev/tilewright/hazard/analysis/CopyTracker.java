package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.CheckedCluster.Multicast;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.CopyGroups;
import dev.tilewright.hazard.report.CopyFindings;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.Scope;

/** Asynchronous copies: what they touch, and how their ends become known. */
final class CopyTracker {
    private final RunState run;
    private final BarrierTracker barriers;
    private final MemoryTracker memory;
    private final FindingSet findings;
    private final CopyFindings words;
    // The bulk or tensor copy that started last, and how the ends of what it reads and writes become known.
    private CheckedThread copier;
    private int step;
    private CopyCompletion reading;
    private CopyCompletion writing;

    CopyTracker(RunState run, BarrierTracker barriers, MemoryTracker memory, FindingSet findings,
            CopyFindings words) {
        this.run = run;
        this.barriers = barriers;
        this.memory = memory;
        this.findings = findings;
        this.words = words;
    }

    // ---- cp.async

    /** A cp.async copy writes its destination, in the block's own shared memory. */
    void cpAsyncWrites(CheckedThread thread, int atStep, int address, int bytes) {
        CopyCompletion copy = cpAsync(thread, atStep);
        if (!copy.writesFirst(address, bytes)) {
            // Copies of one group are in no order either: this one has to be told from the one before it.
            copy = newCpAsync(thread, atStep);
            copy.writesFirst(address, bytes);
        }
        ShadowAccess access = thread.access(atStep, ShadowAccess.WRITE, null, copy);
        memory.copyShared(thread.cluster, access, thread.block(), address, bytes);
    }

    /** A cp.async copy reads its source. */
    void cpAsyncReads(CheckedThread thread, int atStep, int piece, long offset, long bytes) {
        ShadowAccess access = thread.access(atStep, ShadowAccess.READ, null, cpAsync(thread, atStep));
        memory.copyGlobal(access, piece, offset, bytes);
    }

    /** The thread's copies by one step, as far as they are in one group. */
    private CopyCompletion cpAsync(CheckedThread thread, int atStep) {
        CopyGroups groups = thread.copies();
        CopyCompletion copy = groups.lastOpen();
        return copy != null && copy.step() == atStep && copy.barrier() == null ? copy : newCpAsync(thread, atStep);
    }

    private CopyCompletion newCpAsync(CheckedThread thread, int atStep) {
        return CopyCompletion.inGroup(Kind.CP_ASYNC_GROUP, thread.clock, atStep, run.event(), thread.copies());
    }

    void cpAsyncCommit(CheckedThread thread, int atStep) {
        thread.copies().commit(atStep, run.event());
    }

    void cpAsyncWait(CheckedThread thread, int atStep, int pending) {
        for (CopyCompletion copy : thread.copies().covered(wait(thread, atStep, pending, false))) {
            waited(copy, thread);
        }
        thread.copies().keepNewest(pending);
    }

    private GroupWait wait(CheckedThread thread, int atStep, int pending, boolean read) {
        return new GroupWait(atStep, pending, read, run.event(), thread.clock.time());
    }

    private void waited(CopyCompletion copy, CheckedThread thread) {
        copy.waited(thread.clock.time());
        findings.groupIsWaitedFor(copy.step());
    }

    /**
     * An arrival on an mbarrier follows the thread's copies.
     *
     * @param added whether it is in addition to those expected
     */
    void cpAsyncArrive(CheckedThread thread, int atStep, int owner, int address, long phase, boolean added) {
        Barrier b = barriers.arrivesAfterCopies(thread, atStep, owner, address, phase, added);
        if (b == null) {
            return;
        }
        for (CopyCompletion copy : thread.copies().all()) {
            boolean first = copy.barrier() == null;
            copy.follow(b, phase);
            if (first) {
                findings.groupIsWaitedFor(copy.step());
            }
        }
    }

    // ---- bulk and tensor copies

    /** A copy starts that is waited for in a bulk group. */
    void startsInGroup(CheckedThread thread, int atStep) {
        copier = thread;
        step = atStep;
        reading = CopyCompletion.inGroup(Kind.BULK_GROUP_READ, thread.clock, atStep, run.event(), thread.stores());
        writing = CopyCompletion.inGroup(Kind.BULK_GROUP_WRITE, thread.clock, atStep, run.event(), thread.stores());
    }

    /**
     * A copy starts whose bytes an mbarrier counts.
     *
     * @param owner of the mbarrier, with its address and phase
     * @param mask blocks that the copy goes to, by their ranks; 0 where it has one destination
     */
    void startsOnBarrier(CheckedThread thread, int atStep, int owner, int address, long phase, int bytes, int mask) {
        copier = thread;
        step = atStep;
        Barrier b = barriers.useForBytes(thread, atStep, owner, address, phase);
        reading = CopyCompletion.onBarrier(thread.clock, atStep, run.event(), b, phase);
        writing = reading;
        if (b != null) {
            b.start(thread.clock, reading, bytes);
        }
        if (mask != 0) {
            thread.cluster.multicasts.add(new Multicast(mask, atStep, address));
        }
    }

    /** The copy that started last moves a box that lies in shared memory with this swizzle. */
    void boxLies(Swizzle swizzle) {
        writing.laysOut(swizzle);
    }

    /**
     * The copy that started last touches shared memory. @param kind see {@link ShadowAccess} @param scope of an update
     */
    void touchesShared(int kind, Scope scope, int owner, int address, int bytes) {
        ShadowAccess access = access(kind, scope);
        Barrier b = access.completion().barrier();
        if (!access.writes() && b != null && b.owner() != owner) {
            // What is written is counted on an mbarrier of the same block, which is looked at when the block ends.
            copier.cluster.block(owner).copiedRemotely(access);
        }
        memory.copyShared(copier.cluster, access, owner, address, bytes);
    }

    /** The copy that started last touches global memory. @param piece -1 for memory that the program was not given */
    void touchesGlobal(int kind, Scope scope, int piece, long offset, long bytes) {
        memory.copyGlobal(access(kind, scope), piece, offset, bytes);
    }

    /** The copy that started last reads the tensor map that it goes through. */
    void readsMap(int piece, long offset, int bytes) {
        memory.copyGlobal(access(ShadowAccess.READ | ShadowAccess.ASYNC | ShadowAccess.MAP, null), piece, offset,
                bytes);
    }

    private ShadowAccess access(int kind, Scope scope) {
        return new ShadowAccess(copier.clock, step, kind, scope, ShadowAccess.writes(kind) ? writing : reading);
    }

    /**
     * A box with a swizzle lies where its pattern is shifted.
     *
     * @param period what the address should be a multiple of
     */
    void misplacedBox(CheckedThread thread, int atStep, int owner, int address, int period) {
        findings.add(words.misplacedBox(thread.clock, atStep, owner, address, period));
    }

    void bulkCommit(CheckedThread thread, int atStep) {
        thread.stores().commit(atStep, run.event());
    }

    /** @param read whether it waits only until sources have been read */
    void bulkWait(CheckedThread thread, int atStep, int pending, boolean read) {
        for (CopyCompletion copy : thread.stores().covered(wait(thread, atStep, pending, read))) {
            if (copy.kind() == Kind.BULK_GROUP_READ || !read) {
                waited(copy, thread);
            }
        }
        if (!read) {
            thread.stores().keepNewest(pending);
        }
    }

    // ---- the end

    /** A thread ends: what it leaves under way is looked at. */
    void exits(CheckedThread thread) {
        if (!thread.hasCopied()) {
            return;
        }
        for (CopyCompletion store : thread.stores().all()) {
            if (store.kind() == Kind.BULK_GROUP_READ && !store.isWaitedFor()) {
                findings.add(words.endsBeforeStoreHasRead(store));
            }
        }
        for (CopyCompletion copy : thread.copies().all()) {
            if (copy.barrier() == null && !findings.hasAbout(copy.step())) {
                findings.add(words.endsBeforeCopy(copy));
            } else if (!copy.isOverFor(thread.clock)) {
                thread.cluster.block(thread.block()).left.add(copy);
            }
        }
        for (CopyCompletion product : thread.products().all()) {
            if (!product.isWaitedFor() && !findings.hasAbout(product.step())) {
                findings.add(words.endsBeforeProduct(product));
            }
        }
        thread.stores().clear();
        thread.copies().clear();
        thread.products().clear();
    }
}
