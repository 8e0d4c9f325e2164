package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorLoad;
import java.util.Map;
import java.util.Objects;

/** Options of a tensor copy into shared memory. */
public final class TensorLoadStep extends IssuedStep.LoadModeStep<TensorLoad, TensorLoadStep> {
    TensorLoadStep(ThreadSteps body, TensorLoad form, Map<String, Input> inputs) {
        super(body, form, form.rank(), inputs);
    }

    @Override
    TensorLoadStep self() {
        return this;
    }

    @Override
    TensorLoad in(LoadMode mode) {
        return form().withMode(mode);
    }

    /**
     * Copies to the same place in each block of the cluster whose rank's bit is set, and counts the bytes there.
     *
     * @param mask 32 bits
     */
    public TensorLoadStep multicast(Expr mask) {
        Objects.requireNonNull(mask, "mask");
        revise(form().withMulticast(), "cta_mask", Input.of(mask));
        return this;
    }

    /** Copies to the same place in each block of the cluster whose rank's bit is set, and counts the bytes there. */
    public TensorLoadStep multicast(int mask) {
        return multicast(Expr.of(mask));
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorLoadStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
