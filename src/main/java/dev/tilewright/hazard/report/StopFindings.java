package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;

/** What is said where the reference cannot go on, besides the reference's own sentence. */
public record StopFindings(ProgramNames names) {
    /**
     * The reference refuses what a step does.
     *
     * @param elsewhere a thread that this one should have met, and its step; null for none
     */
    public Draft fault(ThreadClock thread, int step, Kind kind, String sentence, ThreadClock elsewhere,
            int elsewhereStep) {
        Access fails = names.access(step, thread, "fails");
        Draft draft = new Draft(code(kind), fails)
                .says(fails + ": " + sentence);
        if (elsewhere != null) {
            draft.against(names.access(elsewhereStep, elsewhere, "waits"));
        }
        if (kind == Kind.ARRIVAL_BEFORE_BYTES) {
            draft.wants("a thread that arrives for a phase must know that the one before is complete")
                    .fixedBy("wait for that one first, or arrive fewer times");
        }
        if (kind == Kind.LANE) {
            draft.wants("what it gets is not defined")
                    .fixedBy("let that lane come too, with both in the mask, or choose "
                    + "a width, a distance or a lane that stays among those who come");
        }
        return draft;
    }

    private static HazardCode code(Kind kind) {
        return switch (kind) {
            case TENSOR_MAP -> HazardCode.MAP_CHANGE_NOT_FENCED;
            case BARRIER_ARRIVALS, ARRIVAL_BEFORE_BYTES -> HazardCode.WRONG_ARRIVAL_COUNT;
            case BLOCK_NOT_STARTED -> HazardCode.MISSING_BARRIER;
            case BLOCK_ENDED -> HazardCode.REMOTE_AFTER_EXIT;
            case SYNC_THREADS, WOULD_HANG -> HazardCode.DEADLOCK;
            case WARP -> HazardCode.WARP_DIVERGED;
            case LANE -> HazardCode.LANE_MISSING;
            case NAMED_BARRIER -> HazardCode.NAMED_BARRIER_MISMATCH;
            case MISALIGNED, OUT_OF_BOUNDS, ARITHMETIC, BAD_SIZE, BARRIER_MISUSE, LEFT_IN_FLIGHT,
                    ILLEGAL_INSTRUCTION, NOT_MODELLED -> HazardCode.FAULT;
        };
    }

    /** Threads wait for ever, and no mbarrier says why. */
    public Draft deadlock(ReferenceException e) {
        return new Draft(HazardCode.DEADLOCK, names.location(e.step()), e.block())
                .says(names.at(e.step(), e.block()) + "thread " + e.thread() + ": " + e.sentence());
    }
}
