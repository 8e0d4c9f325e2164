package dev.tilewright.explain.timeline;

import dev.tilewright.program.Operation;
import dev.tilewright.ptx.Effects.Completion;
import java.util.Locale;

/** What a step of a schedule does. */
public enum StepAction {
    /** Initialises mbarriers. */
    INIT,
    /** Reads memory, or starts an asynchronous copy into shared memory. */
    LOAD,
    /** Works on registers, or starts a product. */
    COMPUTE,
    /** Writes memory, or starts an asynchronous copy out of shared memory. */
    STORE,
    /** Reads, changes and writes memory as one. */
    UPDATE,
    /** Arrives at a barrier. */
    ARRIVE,
    /** Announces bytes to an mbarrier without arriving. */
    EXPECT,
    /** Closes a group of asynchronous operations. */
    COMMIT,
    /** Waits, and has passed. */
    WAIT,
    /** Waits, and will never pass. */
    STUCK,
    /** Meets other threads of its warp or block. */
    MEET,
    /** Orders accesses. */
    FENCE;

    /** What an operation does, as far as its record says. */
    static StepAction of(Operation operation) {
        return switch (operation.role()) {
            case SYNC -> MEET;
            case WAIT -> WAIT;
            case FENCE -> FENCE;
            case COMMIT -> COMMIT;
            case ARRIVAL -> ARRIVE;
            case EXPECT -> EXPECT;
            case INIT -> INIT;
            case COUNTED_LOAD -> LOAD;
            case MAP, OTHER -> switch (operation) {
                case Operation.Loading _ -> LOAD;
                case Operation.Storing _ -> STORE;
                case Operation.Poll _ -> WAIT;
                case Operation.Instruction i -> of(i.form().effects().completion());
                default -> COMPUTE;
            };
        };
    }

    private static StepAction of(Completion completion) {
        return switch (completion) {
            case CP_ASYNC_GROUP -> LOAD;
            case BULK_GROUP -> STORE;
            default -> COMPUTE;
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
