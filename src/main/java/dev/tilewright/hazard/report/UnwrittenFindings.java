package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import java.util.Optional;

/** What is said of values that come from bytes of shared memory which nothing has written. */
public record UnwrittenFindings(ProgramNames names) {
    /**
     * A value reaches something that must be defined.
     *
     * @param reader the thread that read the bytes, in a step
     * @param user the thread that lets the value matter, in a step
     * @param notWaitedFor mbarriers by which another thread hands such bytes over, and which the reader does not wait
     *         for
     */
    public Draft reaches(ThreadClock reader, int readStep, ByteRange bytes, ThreadClock user, int step, Reach reach,
            Optional<SharedRegion> notWaitedFor) {
        boolean direct = reader == user && readStep == step;
        String what = what(reach, direct);
        Access reads = names.access(readStep, reader, "reads");
        Access uses = names.access(step, user, what);
        return new Draft(HazardCode.READ_UNWRITTEN, reads)
                .on(names.place(bytes)).against(uses)
                .says(reads + " " + names.place(bytes) + ", which nothing has written, and " + (direct ? what : uses))
                .wants(notWaitedFor.map(array -> "thread " + reader.thread() + " waits for none of '" + array.name()
                        + "', by which another thread hands such bytes over")
                        .orElse("shared memory begins with what earlier blocks left there"))
                .fixedBy(notWaitedFor.map(array -> "wait for '" + array.name() + "' before step " + readStep)
                        .orElse("read where the bytes were put, such as the stage that was waited for, or write them"
                                + " first, or do not let the value matter"))
                .because(notWaitedFor.map(array -> Cause.phaseNotWaitedFor(array.name())).orElse(null));
    }

    /** A value that nothing has written matters, and a wait that should have held the reader back has not. */
    public Draft reachesAfterVainWait(ThreadClock reader, int readStep, ByteRange bytes, PassedWait wait) {
        Access reads = names.access(readStep, reader, "reads");
        return new Draft(HazardCode.WRONG_PARITY, names.location(wait.step()), reader.block())
                .on(names.place(bytes)).by(names.access(wait.step(), reader, "waits")).against(reads)
                .says(names.at(wait.step(), reader.block()) + reads + " " + names.place(bytes)
                        + ", which nothing has written")
                .wants("the wait for parity " + wait.parity() + " of barrier " + wait.barrier().name()
                        + " before that passed at once: on a fresh barrier a wait for parity 1 does")
                .fixedBy("wait for parity " + (1 - wait.parity()) + ", that of the phase in which the bytes come");
    }

    /** A register that was never assigned matters. @param madeStep where it was made */
    public Draft reaches(ThreadClock maker, int madeStep, String register, ThreadClock user, int step, Reach reach) {
        Access made = names.access(madeStep, maker, "makes");
        Access uses = names.access(step, user, what(reach, false));
        return new Draft(HazardCode.READ_UNWRITTEN, uses).against(made)
                .says(uses + ", which is what register '" + register + "' holds before anything is assigned to it")
                .wants("a register holds anything until it is assigned or loaded")
                .fixedBy("give it a value where it is made, or assign it first");
    }

    private static String what(Reach reach, boolean direct) {
        return switch (reach) {
            case MEMORY -> "leaves " + (direct ? "them" : "the value") + " in global memory";
            case ADDRESS -> "takes the value for an address";
            case BRANCH -> direct ? "waits for the value" : "lets the value decide how it goes on";
            case OPERAND -> "takes the value for an operand that decides what it does";
        };
    }
}
