package dev.tilewright.hazard;

import dev.tilewright.hazard.ClusterShadow.Block;
import dev.tilewright.hazard.Done.By;
import dev.tilewright.ptx.Scope;
import java.util.List;

/** Asynchronous copies: what they touch, and how their ends become known. */
abstract class CopyTracker extends BarrierTracker {
    // The copy that is being told of.
    private Actor copier;
    private int copyStep;
    private Done reading;
    private Done writing;

    CopyTracker(Findings findings) {
        super(findings);
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
    public void copyStarts(int block, int thread, int step, Completion completion, int owner, int address, long phase,
            int counted, int mask) {
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

    /** What a thread leaves behind that ends. */
    final void copiesAtExit(Actor a) {
        a.stores().commit();
        for (List<Done> group : a.stores().closed) {
            for (Done done : group) {
                if (done.by == By.BULK_READ && done.at == Done.NEVER && !findings.has(HazardCode.EXIT_IN_FLIGHT, done.step, 0)) {
                    findings.add(HazardCode.EXIT_IN_FLIGHT, done.step, a.block, null, findings.access(done.step, a,
                            "stores asynchronously"), null,
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
