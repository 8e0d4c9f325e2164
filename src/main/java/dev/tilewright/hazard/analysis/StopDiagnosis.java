package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.CheckedThread.Blocked;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.PhaseBytes;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.CopyFindings;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.report.StopFindings;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/** What is wrong where the reference cannot go on: a fault, or threads that wait for ever. */
final class StopDiagnosis {
    private final RunState run;
    private final PhaseBytesCheck phaseBytes;
    private final Findings findings;
    private final StopFindings stopFindings;
    private final BarrierFindings barrierFindings;
    private final CopyFindings copyFindings;

    StopDiagnosis(RunState run, PhaseBytesCheck phaseBytes, Findings findings, StopFindings stopFindings,
            BarrierFindings barrierFindings, CopyFindings copyFindings) {
        this.run = run;
        this.phaseBytes = phaseBytes;
        this.findings = findings;
        this.stopFindings = stopFindings;
        this.barrierFindings = barrierFindings;
        this.copyFindings = copyFindings;
    }

    /** The reference refuses what a step does. */
    void fault(CheckedThread thread, int step, Kind kind, String sentence) {
        if (kind == Kind.NOT_MODELLED) {
            findings.notAnalysed(step, sentence);
        } else if (!run.isStopped()) {
            CheckedThread elsewhere = kind == Kind.SYNC_THREADS ? elsewhere(thread) : null;
            stopFindings.fault(thread.clock, step, kind, sentence, elsewhere == null ? null : elsewhere.clock,
                    elsewhere == null ? 0 : elsewhere.atSync);
        }
        run.stop();
    }

    /** A thread of the block that has reached another {@code __syncthreads}; null for none. */
    private static CheckedThread elsewhere(CheckedThread thread) {
        for (CheckedThread other : thread.cluster.threads()) {
            if (other.block() == thread.block() && other.atSync != 0 && other.atSync != thread.atSync) {
                return other;
            }
        }
        return null;
    }

    /** The reference has given up. */
    void stopped(ReferenceException e) {
        if (!run.isStopped() && e.kind() == Kind.NOT_MODELLED) {
            findings.notAnalysed(e.step(), e.sentence());
        } else if (!run.isStopped() && e.kind() == Kind.LEFT_IN_FLIGHT) {
            if (findings.isEmpty()) {
                copyFindings.leftInFlight(e);
            }
        } else if (!run.isStopped()) {
            deadlock(e);
        }
        run.stop();
    }

    private void deadlock(ReferenceException e) {
        boolean explained = false;
        for (CheckedCluster cluster : run.running()) {
            for (CheckedThread thread : cluster.threads()) {
                if (thread.blocked != null && !thread.exited) {
                    explained |= explains(cluster, thread, thread.blocked);
                }
            }
        }
        if (!explained) {
            stopFindings.deadlock(e);
        }
    }

    /** @return whether the mbarrier that a thread waits for says by itself why it does not go on */
    private boolean explains(CheckedCluster cluster, CheckedThread thread, Blocked blocked) {
        Barrier b = blocked.barrier();
        return phaseBytes.checkLastPhases(b) || b.pendingArrivals() == 0 && bytesExplain(cluster, b)
                || phasesExplain(thread, blocked);
    }

    private boolean bytesExplain(CheckedCluster cluster, Barrier b) {
        PhaseBytes bytes = b.bytes();
        int rank = cluster.rank(b.owner());
        if (bytes.started() < bytes.announced() && cluster.lastMulticast != null
                && (cluster.lastMulticast.mask() >>> rank & 1) == 0) {
            barrierFindings.multicastLeavesOut(b, cluster.lastMulticast.step(), cluster.lastMulticast.mask(), rank);
            return true;
        }
        return phaseBytes.check(cluster, b);
    }

    private boolean phasesExplain(CheckedThread thread, Blocked blocked) {
        Barrier b = blocked.barrier();
        boolean forParity = blocked.parity() >= 0;
        int known = thread.clock.knows(b.cluster(), b.slot(), Clock.IN_TIME);
        if (forParity && b.phase() > known + 1) {
            barrierFindings.phasesTooSoon(thread.clock, blocked.step(), b, known);
            return true;
        }
        boolean untouched = b.pendingArrivals() == b.expectedArrivals() && b.bytes().announced() == 0
                && b.bytes().started() == 0;
        if (!untouched && b.pendingArrivals() > 0) {
            barrierFindings.arrivalsMissing(thread.clock, blocked.step(), b);
            return true;
        }
        if (untouched && forParity && b.phase() > 0) {
            barrierFindings.parityNeverComes(thread.clock, blocked.step(), blocked.parity(), b);
            return true;
        }
        return false;
    }
}
