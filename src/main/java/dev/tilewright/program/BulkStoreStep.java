package dev.tilewright.program;

import dev.tilewright.ptx.copy.BulkStore;
import java.util.Map;
import java.util.Objects;

/** Options of a bulk copy to global memory. */
public final class BulkStoreStep extends IssuedStep<BulkStore> {
    BulkStoreStep(Body body, BulkStore form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** @param policy 64 bits, of createpolicy */
    public BulkStoreStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
