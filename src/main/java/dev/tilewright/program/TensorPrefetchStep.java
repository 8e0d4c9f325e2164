package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorPrefetch;
import java.util.Map;
import java.util.Objects;

/** Options of a prefetch of a part of a tensor. */
public final class TensorPrefetchStep extends IssuedStep.LoadModeStep<TensorPrefetch, TensorPrefetchStep> {
    TensorPrefetchStep(ThreadSteps body, TensorPrefetch form, Map<String, Input> inputs) {
        super(body, form, form.rank(), inputs);
    }

    @Override
    TensorPrefetchStep self() {
        return this;
    }

    @Override
    TensorPrefetch in(LoadMode mode) {
        return form().withMode(mode);
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorPrefetchStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
