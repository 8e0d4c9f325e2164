package dev.tilewright.reference.fault;

import dev.tilewright.NotNull;
import java.util.Objects;

/**
 * A run of the reference that was ended from outside, not by a mistake of the program: the calling thread was
 * interrupted (and stays so), or the run took more steps or time than its options allow, as one that never ends does.
 * What the program has written by then is in its memory, in part. The message says where the threads were,
 * and which option allows more.
 */
public final class ReferenceStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Why a run was stopped. */
    public enum Reason {
        /** The thread that called was interrupted. */
        INTERRUPT,
        /** The program's threads took more steps than allowed. */
        STEPS,
        /** The run took more time than allowed. */
        TIME
    }

    private final Reason reason;
    private final String what;

    /** @param what the kernel, how far it got, what still ran, and what was allowed */
    public ReferenceStoppedException(Reason reason, String what) {
        this(Objects.requireNonNull(reason, "reason"), Objects.requireNonNull(what, "what"),
                "ReferenceOptions.withMostSteps", "ReferenceOptions.withMostTime");
    }

    private ReferenceStoppedException(Reason reason, String what, String steps, String time) {
        super(what + switch (reason) {
            case INTERRUPT -> "";
            case STEPS -> "; if it does end, allow more with " + steps;
            case TIME -> "; if it does end, allow more with " + time;
        });
        this.reason = reason;
        this.what = what;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    /**
     * This exception for a run whose limits are set elsewhere.
     *
     * @param steps what sets the limit of steps, such as {@code HazardOptions.withMostSteps}
     * @param time what sets the limit of time
     */
    public ReferenceStoppedException limitedBy(String steps, String time) {
        NotNull.all("steps, time", steps, time);
        ReferenceStoppedException other = new ReferenceStoppedException(reason, what, steps, time);
        other.initCause(this);
        return other;
    }
}
