package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierNotes.ShortPhase;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.PhaseBytes;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.Draft;

/** Whether the bytes that are announced on an mbarrier are those of its copies. */
record PhaseBytesCheck(BarrierFindings words) {
    /** What is wrong with an mbarrier's bytes, when no more come; null for nothing. */
    Draft of(CheckedCluster cluster, Barrier b) {
        PhaseBytes bytes = b.bytes();
        Draft last = ofLastPhases(b);
        return last != null ? last
                : bytes.started() > bytes.announced()
                ? tooFew(b, bytes.stepThatAnnouncesTooLittle(), bytes.lastCounted())
                : bytes.started() < bytes.announced() ? words.tooManyBytesAnnounced(b, cluster.isCluster()) : null;
    }

    /** What is wrong if a phase was complete without all bytes of its copies; null if none was. */
    Draft ofLastPhases(Barrier b) {
        ShortPhase phase = b.notes().shortPhase();
        return phase == null ? null : tooFew(b, phase.step(), phase.copy());
    }

    private Draft tooFew(Barrier b, int step, CopyCompletion copy) {
        copy.blame();
        return words.tooFewBytesAnnounced(b, step, copy);
    }
}
