package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.CheckedThread.Blocked;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.CopyFindings;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.report.StopFindings;
import dev.tilewright.hazard.report.StuckFindings;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;

/** What is wrong where the reference cannot go on: a fault, or threads that wait for ever. */
final class StopDiagnosis {
    /** Whom the thread that fails does not fit with; null for none. */
    private CheckedThread clashing;
    private int clashingStep;
    private final RunState run;
    private final PhaseBytesCheck phaseBytes;
    private final Findings findings;
    private final TileProgram program;
    private final StopFindings stopFindings;
    private final StuckFindings stuckFindings;
    private final BarrierFindings barrierFindings;
    private final CopyFindings copyFindings;
    private final PhaseCulprits culprits;

    StopDiagnosis(TileProgram program, RunState run, PhaseBytesCheck phaseBytes, Findings findings,
            BarrierFindings barrierFindings, CopyFindings copyFindings, PhaseCulprits culprits) {
        this.program = program;
        this.stopFindings = new StopFindings(findings);
        this.stuckFindings = new StuckFindings(findings);
        this.run = run;
        this.phaseBytes = phaseBytes;
        this.findings = findings;
        this.barrierFindings = barrierFindings;
        this.copyFindings = copyFindings;
        this.culprits = culprits;
    }

    /** What is refused next does not fit with what this thread does. */
    void clashes(CheckedThread thread, int step) {
        clashing = thread;
        clashingStep = step;
    }

    /** The reference refuses what a step does. */
    void fault(CheckedThread thread, int step, Kind kind, String sentence) {
        if (kind == Kind.NOT_MODELLED) {
            findings.notAnalysed(step, sentence);
        } else if (!run.isStopped() && !(kind == Kind.ARRIVAL_BEFORE_BYTES && findings.hasAbout(step))) {
            CheckedThread elsewhere = kind == Kind.SYNC_THREADS ? elsewhere(thread) : null;
            CheckedThread other = elsewhere == null ? clashing : elsewhere;
            stopFindings.fault(thread.clock, step, kind, sentence, other == null ? null : other.clock,
                    elsewhere == null ? clashingStep : elsewhere.atSync);
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
        if (!waitsForAnotherStage() && !completedWrongly() && !new StuckDiagnosis(program, run, phaseBytes,
                stuckFindings, barrierFindings)
                .explain()) {
            stopFindings.deadlock(e);
        }
    }

    /** Says so, if a thread waits for ever for the mbarrier of another stage than it goes on with. */
    private boolean waitsForAnotherStage() {
        for (CheckedCluster cluster : run.running()) {
            for (CheckedThread thread : cluster.threads()) {
                if (thread.blocked != null && !thread.exited && culprits.ofWaitForAnotherStage(thread)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Says so, if phases that are over explain it: some completed without their bytes, or too soon for a thread. */
    private boolean completedWrongly() {
        boolean any = false;
        for (CheckedCluster cluster : run.running()) {
            for (CheckedThread thread : cluster.threads()) {
                if (thread.blocked != null && !thread.exited) {
                    any |= thread.blocked.barrier().isBlamed()
                            || phaseBytes.checkLastPhases(thread.blocked.barrier()) || completedTooSoon(thread);
                }
            }
        }
        return any;
    }

    private boolean completedTooSoon(CheckedThread thread) {
        Blocked blocked = thread.blocked;
        Barrier b = blocked.barrier();
        int known = thread.clock.knows(b.cluster(), b.slot(), Clock.IN_TIME);
        if (blocked.parity() < 0 || b.phase() <= known + 1) {
            return false;
        }
        barrierFindings.phasesTooSoon(thread.clock, blocked.step(), b, known);
        return true;
    }
}
