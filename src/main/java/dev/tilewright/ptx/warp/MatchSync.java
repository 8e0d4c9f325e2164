package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code match.sync}: which members have the same value. Inputs, in order: {@code value, members}. Results:
 * {@code mask, [same]}.
 *
 * @param all whether the mask is that of all members if all have the same value, else 0; without, it is that of the
 *     members with the lane's own value
 * @param same whether it is also handed out if all have the same value, as only {@code match.all} does
 * @param wide whether the values have 64 bits; else 32
 */
@About(section = "match.sync", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "the mask of the members of a warp that have the same value")
public record MatchSync(boolean all, boolean same, boolean wide) implements WarpInstruction {
    public MatchSync {
        if (same && !all) {
            throw new IllegalFormException("match.any hands out a mask alone: only match.all says if all are the same",
                    MatchSync.class);
        }
    }

    /** The members that have the lane's own value, of 32 bits. */
    public MatchSync() {
        this(false, false, false);
    }

    /** The members if all have the same value, else none. */
    public MatchSync withAll() {
        return new MatchSync(true, same, wide);
    }

    /** Handing out too if all have the same value. */
    public MatchSync withSame() {
        return new MatchSync(all, true, wide);
    }

    /** Matches values of 64 bits. */
    public MatchSync withWide() {
        return new MatchSync(all, same, true);
    }

    @Override
    public Form form() {
        FormBuilder form = FormBuilder.form("match").with(all ? ".all" : ".any").with(".sync")
                .with(wide ? ".b64" : ".b32");
        Operand mask = Operands.of("mask", Operand.Kind.U32_OUT);
        return (same ? form.pair(mask, Operands.of("same", Operand.Kind.PREDICATE_OUT)) : form.operand(mask))
                .operand("value", wide ? Operand.Kind.U64 : Operand.Kind.U32)
                .operand("members", Operand.Kind.U32)
                .named("match_" + (all ? "all" : "any") + "_sync_" + (wide ? "b64" : "b32") + (same ? "_same" : ""))
                .needs(Gates.AMPERE);
    }

    @Override
    public String summary() {
        return all ? "the mask of the members if all have the same value, else 0"
                : "the mask of the members that have this lane's value";
    }
}
