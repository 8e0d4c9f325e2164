package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.PhaseBytes;
import dev.tilewright.hazard.report.BarrierFindings;

/** Whether the bytes that are announced on an mbarrier are those of its copies. */
record PhaseBytesCheck(BarrierFindings findings) {
    /** Says what is wrong with an mbarrier's bytes, when no more come. @return whether anything is */
    boolean check(CheckedCluster cluster, Barrier b) {
        if (checkLastPhases(b) || checkTooFew(b)) {
            return true;
        }
        PhaseBytes bytes = b.bytes();
        if (bytes.started() < bytes.announced()) {
            findings.tooManyBytesAnnounced(b, cluster.isCluster());
            return true;
        }
        return false;
    }

    /** Says so, if a phase was complete without all bytes of its copies. */
    boolean checkLastPhases(Barrier b) {
        if (b.shortPhase() == null) {
            return false;
        }
        tooFew(b, b.shortPhase().step(), b.shortPhase().copy());
        return true;
    }

    /** Says so, if more bytes come in the present phase than are announced. */
    boolean checkTooFew(Barrier b) {
        PhaseBytes bytes = b.bytes();
        if (bytes.started() <= bytes.announced()) {
            return false;
        }
        tooFew(b, bytes.stepThatAnnouncesTooLittle(), bytes.lastCounted());
        return true;
    }

    private void tooFew(Barrier b, int step, CopyCompletion copy) {
        findings.tooFewBytesAnnounced(b, step, copy);
        copy.blame();
    }
}
