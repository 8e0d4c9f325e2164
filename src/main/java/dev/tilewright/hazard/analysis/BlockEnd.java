package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.analysis.CheckedCluster.Block;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.shadow.ShadowAccess;

/** What must be over when the last thread of a block ends: copies into its shared memory, and other blocks' accesses to it. */
public final class BlockEnd {
    private final Findings findings;
    private final CheckedCluster cluster;
    private final Block block;

    public BlockEnd(Findings findings, CheckedCluster cluster, Block block) {
        this.findings = findings;
        this.cluster = cluster;
        this.block = block;
    }

    public void check() {
        Clock known = block.ends.clock();
        block.barriers().forEach(b -> check(b, known));
        block.guests.values().forEach(t -> check(t, known));
    }

    private void check(Barrier b, Clock known) {
        if (b.shortPhase >= 0) {
            DeadlockDiagnosis.txTooSmall(findings, b, b.shortStep, b.shortCopy);
        } else if (b.startedBytes > b.expectedBytes) {
            DeadlockDiagnosis.txTooSmall(findings, b, b.expectStep == 0 ? b.lastCounted.step : b.expectStep, b.lastCounted);
        } else if (b.startedBytes < b.expectedBytes) {
            DeadlockDiagnosis.txTooLarge(findings, b);
        }
        CopyCompletion done = b.lastCopy;
        if (done != null && !done.blamed && !ThreadClock.knows(known, done) && !findings.hasAbout(done.step)) {
            findings.add(HazardCode.EXIT_IN_FLIGHT, done.step, block.index, null, findings.access(done.step, done.actor,
                    "copies"), null,
                    "block " + block.index
                            + " ends, and no thread of it has waited for the end of this copy into its shared memory",
                    "phase " + done.phase + " of barrier " + b.name + " says it", "wait for that before the last thread ends",
                            null);
        }
    }

    private void check(ShadowAccess t, Clock known) {
        boolean over = t.done != null ? ThreadClock.knows(known, t.done) : known.get(t.actor.slot, Clock.ORDERED) >= t.stamp;
        if (!over && !findings.has(HazardCode.REMOTE_AFTER_EXIT, t.step, 0)) {
            findings.add(HazardCode.REMOTE_AFTER_EXIT, t.step, t.actor.block, null, findings.access(t), null, findings.access(t)
                    + " shared memory of block " + block.index + " of its cluster, which may have ended before",
                    "no thread of that block knows when this is done",
                            "let all blocks of the cluster meet at its barrier at the end", null);
        }
    }
}
