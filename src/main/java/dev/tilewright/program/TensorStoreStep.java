package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorStore;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Options of a tensor copy to global memory. */
public final class TensorStoreStep extends IssuedStep<TensorStore> {
    TensorStoreStep(ThreadSteps body, TensorStore form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** Copies the pixels of a convolution, through an im2col map and without offsets. */
    public TensorStoreStep im2col() {
        revise(form().withMode(StoreMode.IM2COL_NO_OFFS));
        return this;
    }

    /**
     * Copies to four rows of a matrix, through a tiled map of rank 2 with a box of one row: the row at the step's
     * coordinates, and three more from the same column on. Needs sm_100.
     *
     * @param rows the other three, 32 bits each
     */
    public TensorStoreStep scatter4(List<Expr> rows) {
        giveRows(rows);
        revise(form().withMode(StoreMode.SCATTER4));
        return this;
    }

    /** @param policy 64 bits, of createpolicy */
    public TensorStoreStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
