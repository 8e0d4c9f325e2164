package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.analysis.CheckedCluster.Block;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyAsyncRestrict;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.reference.ReferenceException;
import dev.tilewright.reference.ReferenceException.Kind;

/** Keeps the shadow state while the reference runs, and reports what nothing orders. */
public final class HazardObserver extends CopyTracker {
    public HazardObserver(Findings findings) {
        super(findings);
    }

    // ---- ordinary accesses

    private static int kind(AccessKind m) {
        int kind = m.writes() ? m.reads() ? ShadowAccess.UPDATE : ShadowAccess.WRITE : ShadowAccess.READ;
        boolean meets = m.waits() || m.order() != null && (kind == ShadowAccess.UPDATE || m.order().semantics() != Semantics.RELAXED);
        return meets ? kind | ShadowAccess.MEETING : kind;
    }

    private static int scope(Effects.Order order) {
        return order == null ? ShadowAccess.WEAK : order.scope().ordinal();
    }

    @Override
    public void shared(int block, int thread, int step, AccessKind manner, int owner, int address, int count) {
        ThreadClock a = actor(block, thread);
        bytes += count;
        Block target = a.cluster.block(owner);
        long key = flagKey(owner, address);
        if (manner.reads()) {
            flags.read(a, step, manner.order(), key);
        }
        ShadowAccess touch = a.touch(step, kind(manner), scope(manner.order()), null);
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
    public void global(int block, int thread, int step, AccessKind manner, int piece, long offset, int count) {
        ThreadClock a = actor(block, thread);
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
        cluster(block).meet(block, 0, shape().threads() - 1);
    }

    @Override
    public void warp(int block, int first, int last, int step) {
        cluster(block).meet(block, first, last);
    }

    @Override
    public void clusterArrive(int block, int thread, int step, boolean release, long opened) {
        ThreadClock a = actor(block, thread);
        if (!release) {
            for (Barrier b : a.cluster.block(block).barriers()) {
                if (b.by == a && b.fencedAt != CopyCompletion.NEVER) {
                    b.shownBy = Math.min(b.shownBy, opened + 1);
                }
            }
        }
        a.cluster.arrive(a, opened, release);
    }

    @Override
    public void clusterWait(int block, int thread, int step) {
        ThreadClock a = actor(block, thread);
        a.cluster.pass(a);
    }

    @Override
    public void fence(int block, int thread, int step, PtxInstruction form) {
        ThreadClock a = actor(block, thread);
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

    private void barriersFenced(ThreadClock a) {
        for (Barrier b : a.cluster.block(a.block).barriers()) {
            if (b.by == a && b.fencedAt == CopyCompletion.NEVER) {
                b.fencedAt = a.own;
            }
        }
    }

    // ---- the end

    @Override
    public void exits(int block, int thread, int step) {
        ThreadClock a = actor(block, thread);
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
                forget(a.cluster);
            }
        }
    }

    @Override
    public void fault(int block, int thread, int step, Kind kind, String sentence) {
        if (!faulted) {
            DeadlockDiagnosis.fault(findings, actor(block, thread), step, kind, sentence);
        }
        faulted = true;
    }

    /** The reference has given up. */
    public void stopped(ReferenceException e) {
        if (!faulted && e.kind() == Kind.LEFT_IN_FLIGHT) {
            if (findings.isEmpty()) {
                findings.add(HazardCode.EXIT_IN_FLIGHT, e.step(), e.block(), null, null, null, e.sentence(),
                        "", "", null);
            }
        } else if (!faulted) {
            DeadlockDiagnosis.deadlock(findings, running(), e);
        }
        faulted = true;
    }
}
