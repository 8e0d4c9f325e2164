package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierUser;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.FollowingArrival;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.report.CopyFindings;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.shadow.ShadowAccess;

/**
 * The ends of threads, and what must be over when the last thread of a block ends: copies into its shared memory, and
 * other blocks' accesses to it.
 */
record EndTracker(RunState run, CopyTracker copies, BarrierTracker barriers, PhaseBytesCheck phaseBytes,
        FindingSet findings, CopyFindings words) {
    void exits(CheckedThread thread) {
        copies.exits(thread);
        thread.exited = true;
        CheckedBlock block = thread.cluster.block(thread.block());
        block.ends.add(thread.clock);
        block.live--;
        if (block.live == 0) {
            ends(thread.cluster, block);
        }
    }

    private void ends(CheckedCluster cluster, CheckedBlock block) {
        Clock known = block.ends.clock();
        for (Barrier b : block.barriers()) {
            findings.add(phaseBytes.of(cluster, b));
            requireLanded(block, b.lastCopy(), known);
            barriers.settles(b);
            requireUsesOver(block, b, known);
        }
        block.left.forEach(copy -> requireLanded(block, copy, known));
        block.barriers().forEach(b -> requireArrived(block, b, known));
        block.remote().forEach(access -> requireOver(block, access, known));
        if (cluster.isOver()) {
            run.forget(cluster);
        }
    }

    private void requireLanded(CheckedBlock block, CopyCompletion copy, Clock known) {
        if (copy != null && !copy.isBlamed() && !copy.isKnownIn(known) && !findings.hasAbout(copy.step())) {
            findings.add(words.blockEndsBeforeCopy(block.index, copy));
        }
    }

    /**
     * Arrivals that follow copies come by themselves, also when the copies are known to be over. Where something else
     * is wrong, the wait that it lacks may be the one that lacks here.
     */
    private void requireArrived(CheckedBlock block, Barrier b, Clock known) {
        FollowingArrival last = b.lastFollowing();
        if (last != null && !b.notes().isBlamed() && known.get(b.slot(), Clock.IN_TIME) <= last.phase()
                && findings.isEmpty()) {
            findings.add(words.blockEndsBeforeArrival(block.index, b, last));
        }
    }

    /** What other blocks do with a block's mbarrier must be over when it ends. */
    private void requireUsesOver(CheckedBlock block, Barrier b, Clock known) {
        for (BarrierUser user : b.users()) {
            if (user.thread().block() != block.index && !user.isKnownIn(known, b)) {
                findings.add(words.blockMayEndBefore(block.index, b, user));
            }
        }
    }

    private void requireOver(CheckedBlock block, ShadowAccess access, Clock known) {
        boolean over = access.completion() != null ? access.completion().isKnownIn(known)
                : known.get(access.thread().slot(), Clock.ORDERED) >= access.time();
        if (!over) {
            findings.add(words.blockMayEndBefore(block.index, access));
        }
    }
}
