package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.box;
import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Ptx;
import java.util.Objects;

/**
 * {@code cp.async.bulk.tensor (shared to global)}: one thread starts a TMA copy of one box from shared memory to a
 * tensor, in its open bulk group. Inputs, in order: {@code map, c0..., src, [policy]}.
 *
 * <p>Coordinate 0 times the size of an element must be a multiple of 16 bytes, but for interleaved maps: elsewhere it
 * is an illegal instruction when it runs, which the PTX ISA does not say (measured on an H200).
 *
 * @param rank dimensions of the tensor, 1 to 5; as many coordinates follow (five with scatter4)
 * @param mode which elements the box has
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.async.bulk.tensor", role = StepRole.OTHER,
        summary = "one thread starts a TMA copy of one box from shared memory into a tensor, tracked by its bulk group")
public record TensorStore(
        @OneOf({1, 2, 3, 4, 5}) int rank, StoreMode mode, boolean cacheHint)
        implements CopyInstruction {
    public TensorStore {
        Objects.requireNonNull(mode, "mode");
        mode.requireRank(rank, TensorStore.class);
    }

    /** The tile-mode form without options. */
    public TensorStore(int rank) {
        this(rank, StoreMode.TILE, false);
    }

    /** A store of the elements that this mode says. */
    public TensorStore withMode(StoreMode mode) {
        return new TensorStore(rank, mode, cacheHint);
    }

    /** This form with a cache policy as the last operand. */
    public TensorStore withCacheHint() {
        return new TensorStore(rank, mode, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.tensor").with("." + rank + "d").with(".global.shared::cta").with(mode)
                .with(".bulk_group")
                .withIf(cacheHint, Ptx.CACHE_HINT)
                .tensor(Ptx.MAP, mode.coordinates(rank)).operand(Ptx.SHARED_SRC).operandIf(cacheHint, Ptx.POLICY)
                .named("tensor_store_" + rank + "d" + mode.suffix() + (cacheHint ? "_hint" : ""))
                .needs(mode.gate(), Completion.BULK_GROUP, reads("map", Proxy.TENSORMAP, bytes(128)),
                        reads("src", Proxy.ASYNC, box()), writes("map", Proxy.ASYNC, box()));
    }

    /** Scattered rows run by their documents. */
    @Override
    public Evidence evidence() {
        return mode == StoreMode.SCATTER4 ? Evidence.DOCUMENTED : CopyInstruction.super.evidence();
    }
}
