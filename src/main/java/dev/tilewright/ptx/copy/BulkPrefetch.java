package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;

/**
 * {@code cp.async.bulk.prefetch}: advises that contiguous bytes of global memory be brought into L2. Inputs, in order:
 * {@code src, bytes, [policy]}.
 *
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.async.bulk.prefetch", role = StepRole.OTHER,
        summary = "advises that contiguous bytes of global memory be brought into L2")
public record BulkPrefetch(boolean cacheHint) implements CopyInstruction {
    /** The form without options. */
    public BulkPrefetch() {
        this(false);
    }

    /** This form with a cache policy as the last operand. */
    public BulkPrefetch withCacheHint() {
        return new BulkPrefetch(true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.prefetch.L2.global").withIf(cacheHint, Ptx.CACHE_HINT)
                .operand(Ptx.GLOBAL_SRC).operand(Ptx.BYTES).operandIf(cacheHint, Ptx.POLICY)
                .named("bulk_prefetch" + (cacheHint ? "_hint" : ""))
                .needs(Gates.HOPPER);
    }
}
