package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.BulkStore;
import java.util.Map;
import java.util.Objects;

/** Options of a bulk copy to global memory. */
public final class BulkStoreStep extends IssuedStep<BulkStore> {
    BulkStoreStep(ThreadSteps body, BulkStore form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /**
     * Writes some bytes of every 16 only. Needs sm_100.
     *
     * @param mask 32 bits, of which bit n stands for byte n of each 16, n from 0 to 15
     */
    public BulkStoreStep byteMask(Expr mask) {
        Objects.requireNonNull(mask, "mask");
        revise(form().withByteMask(), "byte_mask", Input.of(mask));
        return this;
    }

    /** Writes some bytes of every 16 only: byte n where bit n of the mask is set. Needs sm_100. */
    public BulkStoreStep byteMask(int mask) {
        return byteMask(Expr.of(mask));
    }

    /** @param policy 64 bits, of createpolicy */
    public BulkStoreStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
