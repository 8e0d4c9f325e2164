package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.CopyFindings;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.StopFindings;
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
    private final FindingSet findings;
    private final TileProgram program;
    private final StopFindings stopFindings;
    private final BarrierFindings barrierFindings;
    private final CopyFindings copyFindings;
    private final PhaseCulprits culprits;

    StopDiagnosis(TileProgram program, RunState run, PhaseBytesCheck phaseBytes, FindingSet findings,
            BarrierFindings barrierFindings, CopyFindings copyFindings, PhaseCulprits culprits) {
        this.program = program;
        this.stopFindings = new StopFindings(findings.names());
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
            findings.add(stopFindings.fault(thread.clock, step, kind, sentence, other == null ? null : other.clock,
                    elsewhere == null ? clashingStep : elsewhere.atSync));
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
                findings.add(copyFindings.leftInFlight(e));
            }
        } else if (!run.isStopped()) {
            deadlock(e);
        }
        run.stop();
    }

    private void deadlock(ReferenceException e) {
        if (!waitsForAnotherStage() && !completedWrongly() && !new StuckDiagnosis(program, run, phaseBytes,
                findings, barrierFindings).explain()) {
            findings.add(stopFindings.deadlock(e));
        }
    }

    /** Says so, if a thread waits for ever for the mbarrier of another stage than it goes on with. */
    private boolean waitsForAnotherStage() {
        for (CheckedCluster cluster : run.running()) {
            for (CheckedThread thread : cluster.threads()) {
                if (thread.blocked != null && !thread.exited && findings.add(culprits.ofWaitForAnotherStage(thread))) {
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
                    Barrier b = thread.blocked.barrier();
                    any |= b.notes().isBlamed() || findings.add(phaseBytes.ofLastPhases(b))
                            || findings.add(completedTooSoon(thread, b));
                }
            }
        }
        return any;
    }

    private Draft completedTooSoon(CheckedThread thread, Barrier b) {
        int known = thread.clock.knows(b.cluster(), b.slot(), Clock.IN_TIME);
        return thread.blocked.parity() < 0 || b.phase() <= known + 1 ? null
                : barrierFindings.phasesTooSoon(thread.clock, thread.blocked.step(), b, known);
    }
}
