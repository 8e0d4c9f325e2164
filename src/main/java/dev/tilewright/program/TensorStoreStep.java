package dev.tilewright.program;

import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorStore;
import java.util.Map;
import java.util.Objects;

/** Options of a tensor copy to global memory. */
public final class TensorStoreStep extends IssuedStep<TensorStore> {
    TensorStoreStep(Body body, TensorStore form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** Copies the pixels of a convolution, through an im2col map and without offsets. */
    public TensorStoreStep im2col() {
        revise(form().withMode(StoreMode.IM2COL_NO_OFFS));
        return this;
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorStoreStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
