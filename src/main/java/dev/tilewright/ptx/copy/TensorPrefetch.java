package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Ptx;
import java.util.Objects;

/**
 * {@code cp.async.bulk.prefetch.tensor}: advises that one box of a tensor be brought into L2. Inputs, in order:
 * {@code map, c0..., [w_halo], [w_offset], [offset0...], [policy]}.
 *
 * @param rank dimensions of the tensor, 1 to 5; as many coordinates follow (five with gather4)
 * @param mode which elements the box has
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.async.bulk.prefetch.tensor", role = StepRole.OTHER,
        summary = "advises that one box of a tensor be brought into L2")
public record TensorPrefetch(
        @OneOf({1, 2, 3, 4, 5}) int rank, LoadMode mode, boolean cacheHint)
        implements CopyInstruction {
    public TensorPrefetch {
        Objects.requireNonNull(mode, "mode");
        mode.requireRank(rank, TensorPrefetch.class);
    }

    /** The tile-mode form without options. */
    public TensorPrefetch(int rank) {
        this(rank, LoadMode.TILE, false);
    }

    /** A prefetch of the elements that this mode says. */
    public TensorPrefetch withMode(LoadMode mode) {
        return new TensorPrefetch(rank, mode, cacheHint);
    }

    /** This form with a cache policy as the last operand. */
    public TensorPrefetch withCacheHint() {
        return new TensorPrefetch(rank, mode, true);
    }

    @Override
    public Form form() {
        return mode.info(FormBuilder.form("cp.async.bulk.prefetch.tensor").with("." + rank + "d").with(".L2.global")
                .with(mode)
                        .withIf(cacheHint, Ptx.CACHE_HINT).tensor(Ptx.MAP, mode.coordinates(rank)), rank)
                .operandIf(cacheHint, Ptx.POLICY)
                .named("tensor_prefetch_" + rank + "d" + mode.suffix() + (cacheHint ? "_hint" : ""))
                .needs(mode.gate(Destination.SHARED_CLUSTER), reads("map", Proxy.TENSORMAP, bytes(128)));
    }

    /** A prefetch moves nothing, whatever the mode. */
    @Override
    public Evidence evidence() {
        return mode.isDocumentedOnly() ? Evidence.DOCUMENTED : CopyInstruction.super.evidence();
    }
}
