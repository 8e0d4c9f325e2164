package dev.tilewright.program;

import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorLoad;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Options of a tensor copy into shared memory. */
public final class TensorLoadStep extends IssuedStep<TensorLoad> {
    TensorLoadStep(Body body, TensorLoad form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /**
     * Copies to the same place in each block of the cluster whose bit, by its rank, is set, and counts there.
     *
     * @param mask 32 bits
     */
    public TensorLoadStep multicast(Expr mask) {
        Objects.requireNonNull(mask, "mask");
        revise(form().withMulticast(), "cta_mask", Input.of(mask));
        return this;
    }

    /**
     * Copies the pixels of a convolution, through an im2col map.
     *
     * @param offsets 32 bits, one for each spatial dimension, innermost first
     */
    public TensorLoadStep im2col(List<Expr> offsets) {
        Objects.requireNonNull(offsets, "offsets");
        TensorLoad im2col = form().withMode(LoadMode.IM2COL);
        if (offsets.size() != im2col.rank() - 2) {
            throw new IllegalArgumentException("an im2col copy of rank " + im2col.rank() + " takes "
                    + (im2col.rank() - 2) + " offsets, got " + offsets.size());
        }
        for (int i = 0; i < offsets.size() - 1; i++) {
            give("offset" + i, Input.of(offsets.get(i)));
        }
        revise(im2col, "offset" + (offsets.size() - 1), Input.of(offsets.getLast()));
        return this;
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorLoadStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
