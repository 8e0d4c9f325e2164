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
 * {@code barrier.sync}, the same as {@code barrier.cta.sync}: waits at one of the block's 16 named barriers until as
 * many threads have come as it is for; each then sees what the others wrote before. With {@code .aligned} it is
 * {@code bar.sync}. Barrier 0 without a number of threads is CUDA's {@code __syncthreads}. Inputs, in order:
 * {@code barrier, [threads]}.
 *
 * @param aligned whether all threads of the warp perform it together
 * @param counted whether the number of threads is given, a multiple of 32; else all of the block's come
 */
@About(section = "barrier{.cta}", role = StepRole.SYNC,
        summary = "waits at a named barrier of the block, and orders the memory accesses of the threads there")
public record BarrierCtaSync(boolean aligned, boolean counted) implements WarpInstruction {
    /** All threads of the block come, each by itself. */
    public BarrierCtaSync() {
        this(false, false);
    }

    /** Performed by all threads of the warp together. */
    public BarrierCtaSync withAligned() {
        return new BarrierCtaSync(true, counted);
    }

    /** A number of threads comes. */
    public BarrierCtaSync withCounted() {
        return new BarrierCtaSync(aligned, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("barrier.sync").withIf(aligned, ".aligned")
                .operand("barrier", Operand.Kind.U32)
                .operandIf(counted, "threads", Operand.Kind.U32)
                .named("barrier_sync" + (aligned ? "_aligned" : "") + (counted ? "_counted" : ""))
                .needs(Gates.AMPERE, EffectsBuilder.nothing().ordered(Semantics.ACQ_REL, Scope.CTA));
    }
}
