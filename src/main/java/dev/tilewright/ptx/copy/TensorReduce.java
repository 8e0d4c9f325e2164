package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.box;
import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Ptx;

/**
 * {@code cp.reduce.async.bulk.tensor}: one thread starts a TMA reduction of one box of shared memory into a tensor, in
 * its open bulk group. Inputs, in order: {@code map, c0..., src, [policy]}.
 *
 * <p>The tensor map says the type of the elements; an operation that the type does not have is an illegal instruction
 * when it runs. Each element is updated atomically by itself (relaxed, GPU scope).
 *
 * <p>Coordinate 0 times the size of an element must be a multiple of 16 bytes, but for interleaved maps: elsewhere it
 * is an illegal instruction when it runs, which the PTX ISA does not say (measured on an H200).
 *
 * @param rank dimensions of the tensor, 1 to 5; as many coordinates follow
 * @param op the operation
 * @param mode which elements the box has: tile or im2col_no_offs
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.reduce.async.bulk.tensor", role = StepRole.OTHER,
        summary = "one thread starts a TMA reduction of one box of shared memory into a tensor, in its open bulk group")
public record TensorReduce(
        @OneOf({1, 2, 3, 4, 5}) int rank, AtomicOp op, StoreMode mode, boolean cacheHint)
        implements CopyInstruction {
    public TensorReduce {
        NotNull.all("op, mode", op, mode);
        if (!op.isReduction()) {
            throw new IllegalFormException("cp.reduce.async.bulk.tensor has no ." + op, TensorReduce.class);
        }
        if (mode == StoreMode.SCATTER4) {
            throw new IllegalFormException(
                    "cp.reduce.async.bulk.tensor is of tiles or im2col_no_offs, got tile::scatter4",
                    TensorReduce.class);
        }
        mode.requireRank(rank, TensorReduce.class);
    }

    /** The tile-mode form without options. */
    public TensorReduce(int rank, AtomicOp op) {
        this(rank, op, StoreMode.TILE, false);
    }

    /** A reduction of the elements that this mode says. */
    public TensorReduce withMode(StoreMode mode) {
        return new TensorReduce(rank, op, mode, cacheHint);
    }

    /** This form with a cache policy as the last operand. */
    public TensorReduce withCacheHint() {
        return new TensorReduce(rank, op, mode, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.reduce.async.bulk.tensor").with("." + rank + "d").with(".global.shared::cta")
                .with(op).with(mode)
                .with(".bulk_group").withIf(cacheHint, Ptx.CACHE_HINT)
                .tensor(Ptx.MAP, mode.coordinates(rank)).operand(Ptx.SHARED_SRC).operandIf(cacheHint, Ptx.POLICY)
                .named("tensor_reduce_" + op + "_" + rank + "d" + mode.suffix() + (cacheHint ? "_hint" : ""))
                .needs(mode.gate(), EffectsBuilder.of(Completion.BULK_GROUP, reads("map", Proxy.TENSORMAP, bytes(128)),
                        reads("src", Proxy.ASYNC, box()), updates("map", Proxy.ASYNC, box()))
                        .ordered(Semantics.RELAXED, Scope.GPU));
    }
}
