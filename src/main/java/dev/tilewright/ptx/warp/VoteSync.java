package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import java.util.Objects;

/**
 * {@code vote.sync}: what the members' truth values are together, the same for every member. Inputs, in order:
 * {@code predicate, members}. Results: {@code [answer], [mask]}.
 *
 * @param mode what is asked
 */
@About(section = "vote.sync", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "says for which members of a warp a condition holds: for all, for any, all alike, or the mask of"
                + " them")
public record VoteSync(Mode mode) implements WarpInstruction {
    /** The question about the truth values. */
    public enum Mode implements Qualifier {
        /** Whether all are true. */
        ALL,
        /** Whether any is true. */
        ANY,
        /** Whether all are the same. */
        UNI,
        /** A mask with the bit of every lane whose value is true; bits of lanes that are no members are 0. */
        BALLOT;
    }

    public VoteSync {
        Objects.requireNonNull(mode, "mode");
    }

    @Override
    public Form form() {
        boolean mask = mode == Mode.BALLOT;
        return FormBuilder.form("vote.sync").with(mode).with(mask ? ".b32" : ".pred")
                .operand(mask ? Operands.of("mask", Operand.Kind.U32_OUT)
                : Operands.of("answer", Operand.Kind.PREDICATE_OUT))
                .operand("predicate", Operand.Kind.PREDICATE)
                .operand("members", Operand.Kind.U32)
                .needs(Gates.AMPERE);
    }

    @Override
    public String summary() {
        return switch (mode) {
            case ALL -> "says whether a condition holds for all members";
            case ANY -> "says whether a condition holds for any member";
            case UNI -> "says whether a condition is the same for all members";
            case BALLOT -> "the mask of the members for which a condition holds";
        };
    }
}
