package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.analysis.CheckedCluster.Block;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyCompletion.By;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.Scope;
import java.util.List;

/** Asynchronous copies: what they touch, and how their ends become known. */
public abstract class CopyTracker extends BarrierTracker {
    // The copy that is being told of.
    private ThreadClock copier;
    private int copyStep;
    private CopyCompletion reading;
    private CopyCompletion writing;

    public CopyTracker(Findings findings) {
        super(findings);
    }

    // ---- cp.async

    @Override
    public void cpAsync(int block, int thread, int step, int address, int count, int piece, long offset, int read) {
        ThreadClock a = actor(block, thread);
        bytes += count + read;
        CopyCompletion done = a.copies().open.isEmpty() ? null : a.copies().open.getLast();
        if (done == null || done.step != step || done.barrier != null) {
            done = new CopyCompletion(By.CP_ASYNC, a, step, tick);
            a.copies().open.add(done);
        }
        a.cluster.block(block).shared.touch(address, count, a.touch(step, ShadowAccess.WRITE, ShadowAccess.WEAK, done));
        if (read > 0 && piece >= 0) {
            global.touch(piece, offset, read, a.touch(step, ShadowAccess.READ, ShadowAccess.WEAK, done));
        }
    }

    @Override
    public void cpCommit(int block, int thread, int step) {
        actor(block, thread).copies().commit();
    }

    @Override
    public void cpWait(int block, int thread, int step, int pending) {
        ThreadClock a = actor(block, thread);
        a.copies().waited(step, tick, pending, a.own);
        while (a.copies().closed.size() > pending) {
            for (CopyCompletion done : a.copies().closed.remove()) {
                done.at = Math.min(done.at, a.own);
                findings.waitedFor(done.step);
            }
        }
    }

    @Override
    public void cpArrive(int block, int thread, int step, int owner, int address, long phase, boolean added) {
        ThreadClock a = actor(block, thread);
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

    private void follow(CopyCompletion done, Barrier b, long phase) {
        if (done.barrier == null) {
            done.barrier = b;
            done.phase = phase;
            findings.waitedFor(done.step);
        }
    }

    // ---- bulk and tensor copies

    @Override
    public void copyStarts(int block, int thread, int step, Completion completion, int owner, int address, long phase,
            int counted, int mask) {
        copier = actor(block, thread);
        copyStep = step;
        if (completion == Completion.BULK_GROUP) {
            reading = new CopyCompletion(By.BULK_READ, copier, step, tick);
            writing = new CopyCompletion(By.BULK_WRITE, copier, step, tick);
            copier.stores().open.add(reading);
            copier.stores().open.add(writing);
            return;
        }
        Barrier b = use(copier, step, owner, address, phase, true);
        reading = new CopyCompletion(copier, step, tick, b, phase);
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
        ShadowAccess touch = copyTouch(writes, reduces);
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

    private ShadowAccess copyTouch(boolean writes, boolean reduces) {
        int kind = reduces && writes ? ShadowAccess.UPDATE : writes ? ShadowAccess.WRITE : ShadowAccess.READ;
        return new ShadowAccess(copier, copier.own, copyStep, kind | ShadowAccess.ASYNC | (reduces && writes ? ShadowAccess.MEETING : 0),
                reduces && writes ? Scope.CLUSTER.ordinal() : ShadowAccess.WEAK,
                writes ? writing : reading);
    }

    @Override
    public void misplacedBox(int block, int thread, int step, int owner, int address, int period) {
        if (findings.has(HazardCode.SMEM_MISALIGNED_FOR_SWIZZLE, step, 0)) {
            return;
        }
        Place place = findings.shared(owner, address, period);
        findings.add(HazardCode.SMEM_MISALIGNED_FOR_SWIZZLE, step, block, place, findings.access(step, actor(block, thread),
                "copies a box"), null,
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
        ThreadClock a = actor(block, thread);
        a.stores().waited(step, tick, pending, a.own);
        int over = a.stores().closed.size() - pending;
        for (List<CopyCompletion> group : a.stores().closed) {
            if (over-- <= 0) {
                break;
            }
            for (CopyCompletion done : group) {
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

    /** What a thread leaves behind that ends. */
    public final void copiesAtExit(ThreadClock a) {
        a.stores().commit();
        for (List<CopyCompletion> group : a.stores().closed) {
            for (CopyCompletion done : group) {
                if (done.by == By.BULK_READ && done.at == CopyCompletion.NEVER && !findings.has(HazardCode.EXIT_IN_FLIGHT, done.step, 0)) {
                    findings.add(HazardCode.EXIT_IN_FLIGHT, done.step, a.block, null, findings.access(done.step, a,
                            "stores asynchronously"), null,
                            "thread " + a.thread + " ends without having waited for this store to have read its source",
                            "the block's shared memory is gone when the block has ended",
                            "wait with cp.async.bulk.wait_group.read 0 before the end", null);
                }
            }
        }
        a.copies().commit();
        for (List<CopyCompletion> group : a.copies().closed) {
            for (CopyCompletion done : group) {
                if (done.barrier == null && !findings.hasAbout(done.step)) {
                    findings.add(HazardCode.EXIT_IN_FLIGHT, done.step, a.block, null, findings.access(done.step, a,
                            "copies asynchronously"), null,
                            "thread " + a.thread + " ends without having waited for this copy", "nobody can use what it copies",
                            "wait for its group before the end", done);
                }
            }
        }
        a.copies().closed.clear();
    }
}
