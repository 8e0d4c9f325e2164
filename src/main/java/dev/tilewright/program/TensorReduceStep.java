package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorReduce;
import java.util.Map;
import java.util.Objects;

/** Options of a reduction into a tensor. */
public final class TensorReduceStep extends IssuedStep<TensorReduce> {
    TensorReduceStep(ThreadSteps body, TensorReduce form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** Reduces into the pixels of a convolution, through an im2col map and without offsets. */
    public TensorReduceStep im2col() {
        revise(form().withMode(StoreMode.IM2COL_NO_OFFS));
        return this;
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorReduceStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
