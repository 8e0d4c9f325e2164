package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import java.util.Objects;

/**
 * {@code barrier.red}, the same as {@code barrier.cta.red}: waits as {@link BarrierCtaSync} does, and hands out what
 * the truth values of all who came are together. Inputs, in order: {@code barrier, [threads], predicate}. Results:
 * {@code [count], [answer]}.
 *
 * @param op what is handed out
 * @param aligned whether all threads of the warp perform it together: {@code bar.red}
 * @param counted whether the number of threads is given, a multiple of 32; else all of the block's come
 */
@About(section = "barrier{.cta}", role = StepRole.SYNC,
        summary = "waits at a named barrier of the block, and says for how many, all or any of the threads there a"
                + " condition holds")
public record BarrierCtaRed(Op op, boolean aligned, boolean counted) implements WarpInstruction {
    /** How the truth values are combined. */
    public enum Op implements Qualifier {
        /** How many are true. */
        POPC,
        /** Whether all are true. */
        AND,
        /** Whether any is true. */
        OR;
    }

    public BarrierCtaRed {
        Objects.requireNonNull(op, "op");
    }

    /** All threads of the block come, each by itself. */
    public BarrierCtaRed(Op op) {
        this(op, false, false);
    }

    /** Performed by all threads of the warp together. */
    public BarrierCtaRed withAligned() {
        return new BarrierCtaRed(op, true, counted);
    }

    /** A number of threads comes. */
    public BarrierCtaRed withCounted() {
        return new BarrierCtaRed(op, aligned, true);
    }

    @Override
    public Form form() {
        boolean count = op == Op.POPC;
        return FormBuilder.form("barrier.red").with(op).withIf(aligned, ".aligned").with(count ? ".u32" : ".pred")
                .operand(count ? Operands.of("count", Operand.Kind.U32_OUT)
                        : Operands.of("answer", Operand.Kind.PREDICATE_OUT))
                .operand("barrier", Operand.Kind.U32)
                .operandIf(counted, "threads", Operand.Kind.U32)
                .operand("predicate", Operand.Kind.PREDICATE)
                .named("barrier_red" + op.text().replace('.', '_') + (aligned ? "_aligned" : "")
                        + (counted ? "_counted" : ""))
                .needs(Gates.AMPERE, EffectsBuilder.nothing().ordered(Semantics.ACQ_REL, Scope.CTA));
    }
}
