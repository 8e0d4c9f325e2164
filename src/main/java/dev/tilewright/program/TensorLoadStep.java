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

    /**
     * Copies four rows of a matrix, through a tiled map of rank 2 with a box of one row: the row at the step's coordinates,
     * and three more from the same column on. Needs sm_100.
     */
    public TensorLoadStep gather4(Expr row1, Expr row2, Expr row3) {
        Objects.requireNonNull(row1, "row1");
        Objects.requireNonNull(row2, "row2");
        Objects.requireNonNull(row3, "row3");
        give("c2", Input.of(row1));
        give("c3", Input.of(row2));
        revise(form().withMode(LoadMode.GATHER4), "c4", Input.of(row3));
        return this;
    }

    /**
     * Copies pixels along W alone, through a wide im2col map. Needs sm_100.
     *
     * @param groups whether in the mode of 128 pixels with a halo after every 32
     * @param halo 32 bits: how many pixels more are copied
     * @param offset 32 bits: what is added to the W of the box's corners and of its start
     */
    public TensorLoadStep im2colWide(boolean groups, Expr halo, Expr offset) {
        Objects.requireNonNull(halo, "halo");
        Objects.requireNonNull(offset, "offset");
        give("w_halo", Input.of(halo));
        revise(form().withMode(groups ? LoadMode.IM2COL_W_128 : LoadMode.IM2COL_W), "w_offset", Input.of(offset));
        return this;
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorLoadStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
