package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code barrier.arrive}, the same as {@code barrier.cta.arrive}: counts as come at one of the block's 16 named
 * barriers and goes on. Those who wait there with {@link BarrierCtaSync}, for the same number of threads, see what it
 * wrote before. Inputs, in order: {@code barrier, threads}.
 *
 * @param aligned whether all threads of the warp perform it together: {@code bar.arrive}
 */
@About(section = "barrier{.cta}", role = StepRole.ARRIVAL,
        summary = "arrives at a named barrier of the block without waiting")
public record BarrierCtaArrive(boolean aligned) implements WarpInstruction {
    /** Each thread by itself. */
    public BarrierCtaArrive() {
        this(false);
    }

    /** Performed by all threads of the warp together. */
    public BarrierCtaArrive withAligned() {
        return new BarrierCtaArrive(true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("barrier.arrive").withIf(aligned, ".aligned")
                .operand("barrier", Operand.Kind.U32)
                .operand("threads", Operand.Kind.U32)
                .needs(Gates.AMPERE, EffectsBuilder.nothing().ordered(Semantics.RELEASE, Scope.CTA));
    }
}
