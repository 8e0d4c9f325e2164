package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.box;
import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;
import java.util.List;

/**
 * {@code cp.async.bulk.tensor (global to shared)}: one thread starts a TMA copy of one box of a tensor into shared
 * memory; an mbarrier counts the bytes that land. Inputs, in order:
 * {@code dst, map, c0..., mbar, [w_halo], [w_offset], [offset0...], [cta_mask], [policy]}.
 *
 * <p>Coordinate 0 times the size of an element must be a multiple of 16 bytes, but for interleaved maps: elsewhere it
 * is an illegal instruction when it runs, which the PTX ISA does not say (measured on an H200).
 *
 * @param rank dimensions of the tensor, 1 to 5; as many coordinates follow (five with gather4)
 * @param mode which elements the box has
 * @param destination how the destination is written
 * @param multicast whether a mask of blocks follows, each of which gets the box and the count (cluster spelling only)
 * @param group whose mbarrier counts, where two blocks work as a pair
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.async.bulk.tensor", role = StepRole.COUNTED_LOAD,
        summary = "one thread starts a TMA copy of one box of a tensor into shared memory; an mbarrier counts the"
                + " bytes that land")
public record TensorLoad(
        @OneOf({1, 2, 3, 4, 5}) int rank, LoadMode mode, Destination destination, boolean multicast, CtaGroup group,
                boolean cacheHint)
        implements CopyInstruction {
    /** Where the mbarrier may be in a pair of blocks (sm_100 and later). */
    public enum CtaGroup implements Qualifier {
        /** Not said. */
        NONE,
        /** Beside the destination. */
        ONE,
        /** Beside the destination or in the peer block. */
        TWO;

        @Override
        public String text() {
            return this == NONE ? "" : ".cta_group::" + ordinal();
        }
    }

    public TensorLoad {
        NotNull.all("mode, destination, group", mode, destination, group);
        mode.requireRank(rank, TensorLoad.class);
        destination.requireMulticast("cp.async.bulk.tensor", multicast, TensorLoad.class);
    }

    /** The tile-mode form without options, in the oldest spelling. */
    public TensorLoad(int rank) {
        this(rank, LoadMode.TILE, Destination.SHARED_CLUSTER, false, CtaGroup.NONE, false);
    }

    /** A load of the elements that this mode says. */
    public TensorLoad withMode(LoadMode mode) {
        return new TensorLoad(rank, mode, destination, multicast, group, cacheHint);
    }

    /** Written to a destination spelled like this. */
    public TensorLoad withDestination(Destination destination) {
        return new TensorLoad(rank, mode, destination, multicast, group, cacheHint);
    }

    /** This form with a mask of blocks, each of which gets the box and the count. */
    public TensorLoad withMulticast() {
        return new TensorLoad(rank, mode, destination, true, group, cacheHint);
    }

    /** This form with the mbarrier where the pair of blocks has it. */
    public TensorLoad withGroup(CtaGroup group) {
        return new TensorLoad(rank, mode, destination, multicast, group, cacheHint);
    }

    /** This form with a cache policy as the last operand. */
    public TensorLoad withCacheHint() {
        return new TensorLoad(rank, mode, destination, multicast, group, true);
    }

    @Override
    public Form form() {
        Gate gate = mode.gate(destination).and(destination.gate());
        return mode.info(FormBuilder.form("cp.async.bulk.tensor").with("." + rank + "d").with(destination)
                .with(".global").with(mode)
                        .with(Ptx.MBARRIER_BYTES).withIf(multicast, Ptx.MULTICAST).with(group)
                        .withIf(cacheHint, Ptx.CACHE_HINT)
                        .operand(Ptx.SHARED_DST).tensor(Ptx.MAP, mode.coordinates(rank)).operand(Ptx.MBARRIER), rank)
                .operandIf(multicast, Ptx.CTA_MASK).operandIf(cacheHint, Ptx.POLICY)
                .named("tensor_load_" + rank + "d" + mode.suffix() + destination.suffix()
                        + (multicast ? "_multicast" : "")
                        + (group == CtaGroup.NONE ? "" : "_group_" + group.ordinal()) + (cacheHint ? "_hint" : ""))
                .needs(group == CtaGroup.NONE ? gate : gate.and(Gates.CTA_PAIRS), Completion.MBARRIER,
                        reads("map", Proxy.TENSORMAP, bytes(128)), reads("map", Proxy.ASYNC, box()),
                        writes("dst", Proxy.ASYNC, box()), updates("mbar", Proxy.ASYNC, bytes(8)));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return multicast ? List.of(this)
                : List.of(withDestination(Destination.SHARED_CTA), withDestination(Destination.SHARED_CLUSTER));
    }

    /** Gathered rows and wide im2col run by their documents; of pairs of blocks nothing does. */
    @Override
    public Evidence evidence() {
        return mode.isDocumentedOnly() && group == CtaGroup.NONE ? Evidence.DOCUMENTED
                : CopyInstruction.super.evidence();
    }
}
