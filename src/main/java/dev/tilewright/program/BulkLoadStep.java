package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.BulkLoad;
import java.util.Map;
import java.util.Objects;

/** Options of a bulk copy into shared memory. */
public final class BulkLoadStep extends IssuedStep<BulkLoad> {
    BulkLoadStep(ThreadSteps body, BulkLoad form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /**
     * Copies to the same place in each block of the cluster whose rank's bit is set, and counts the bytes there.
     *
     * @param mask 32 bits
     */
    public BulkLoadStep multicast(Expr mask) {
        Objects.requireNonNull(mask, "mask");
        revise(form().withMulticast(), "cta_mask", Input.of(mask));
        return this;
    }

    /** Copies to the same place in each block of the cluster whose rank's bit is set, and counts the bytes there. */
    public BulkLoadStep multicast(int mask) {
        return multicast(Expr.of(mask));
    }

    /** @param policy 64 bits, of createpolicy */
    public BulkLoadStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
