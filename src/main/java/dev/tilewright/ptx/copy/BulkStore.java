package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.counted;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;

/**
 * {@code cp.async.bulk (shared to global)}: one thread starts a TMA copy of contiguous bytes from shared to global
 * memory, in its open bulk group. Inputs, in order: {@code dst, src, bytes, [policy], [byte_mask]}.
 *
 * <p>Addresses and byte count are multiples of 16.
 *
 * @param cacheHint whether a cache policy follows
 * @param byteMask whether a mask follows that says which of every 16 bytes are written
 */
@About(section = "cp.async.bulk", role = StepRole.OTHER,
        summary = "one thread starts a TMA copy of contiguous bytes from shared to global memory, tracked by its bulk"
                + " group")
public record BulkStore(boolean cacheHint, boolean byteMask) implements CopyInstruction {
    /** The form without options. */
    public BulkStore() {
        this(false, false);
    }

    /** This form with a cache policy as the last operand. */
    public BulkStore withCacheHint() {
        return new BulkStore(true, byteMask);
    }

    /** This form with a mask of 16 bits: which of every 16 bytes are written. */
    public BulkStore withByteMask() {
        return new BulkStore(cacheHint, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.global.shared::cta.bulk_group").withIf(cacheHint, Ptx.CACHE_HINT)
                .withIf(byteMask, ".cp_mask")
                .operand(Ptx.GLOBAL_DST).operand(Ptx.SHARED_SRC).operand(Ptx.BYTES)
                .operandIf(cacheHint, Ptx.POLICY).operandIf(byteMask, "byte_mask", Operand.Kind.U16)
                .named("bulk_store" + (cacheHint ? "_hint" : "") + (byteMask ? "_mask" : ""))
                .needs(byteMask ? Gates.BLACKWELL : Gates.HOPPER, Completion.BULK_GROUP,
                        reads("src", Proxy.ASYNC, counted("bytes")), writes("dst", Proxy.ASYNC, counted("bytes")));
    }

    /** A byte mask runs by its documents. */
    @Override
    public Evidence evidence() {
        return byteMask ? Evidence.DOCUMENTED : CopyInstruction.super.evidence();
    }
}
