package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.analysis.CheckedCluster.Multicast;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.Draft;

/** Where a phase of an mbarrier lacks bytes: which copy does not bring them, or brings them elsewhere. */
record MissingBytes(RunState run, BarrierSteps steps, PhaseBytesCheck phaseBytes, BarrierFindings words) {
    /** What is wrong with the bytes of an mbarrier that threads wait for; null for nothing. */
    Draft of(CheckedCluster cluster, Barrier b) {
        int rank = cluster.rank(b.owner());
        if (b.bytes().started() < b.bytes().announced()) {
            for (Multicast copy : cluster.multicasts) {
                if (copy.barrier() == b.address() && !copy.reaches(rank) && cluster.multicasts.stream()
                        .noneMatch(c -> c.barrier() == copy.barrier() && c.step() == copy.step() && c.reaches(rank))) {
                    return words.multicastLeavesOut(b, copy.step(), copy.mask(), rank);
                }
            }
            Barrier other = withTooManyBytes(cluster, b);
            if (other != null) {
                return words.bytesGoElsewhere(b, other);
            }
        }
        return phaseBytes.of(cluster, b);
    }

    /**
     * Another mbarrier of the same region to which more bytes come than are announced there, or those of a thread that
     * now waits for this one; null for none.
     */
    private Barrier withTooManyBytes(CheckedCluster cluster, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        Barrier instead = null;
        for (Barrier other : cluster.block(b.owner()).barriers()) {
            BarrierSteps.At otherAt = steps.at(other.address());
            if (at != null && other != b && otherAt != null && otherAt.region().equals(at.region())) {
                if (other.bytes().started() > other.bytes().announced() || other.notes().shortPhase() != null) {
                    return other;
                }
                if (isBroughtInstead(b, other)) {
                    instead = other;
                }
            }
        }
        return instead;
    }

    /**
     * Whether a thread has brought bytes to one mbarrier, and now waits for another, which nothing was brought to, by
     * what its step may be for as well.
     */
    private boolean isBroughtInstead(Barrier b, Barrier other) {
        CopyCompletion copy = other.bytes().lastCounted();
        if (copy == null || b.bytes().started() > 0
                || !steps.bringing(steps.at(b.address())).contains(copy.step())) {
            return false;
        }
        CheckedThread thread = run.thread(copy.thread());
        Use passes = thread.cluster.log.of(thread.clock, thread.block(), other.address());
        return thread.blocked != null && thread.blocked.barrier().address() == b.address()
                && (passes == null || passes.passes == 0);
    }
}
