package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.counted;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Ptx;
import java.util.List;
import java.util.Objects;

/**
 * {@code cp.async.bulk (global to shared)}: one thread starts a TMA copy of contiguous bytes from global to shared
 * memory; an mbarrier counts the bytes that land. Inputs, in order:
 * {@code dst, src, bytes, mbar, [cta_mask], [policy]}.
 *
 * <p>Addresses and byte count are multiples of 16.
 *
 * @param destination how the destination is written
 * @param multicast whether a mask of blocks follows, each of which gets the bytes and the count (cluster spelling only)
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.async.bulk", role = StepRole.COUNTED_LOAD,
        summary = "one thread starts a TMA copy of contiguous bytes from global to shared memory; an mbarrier counts"
                + " the bytes that land")
public record BulkLoad(Destination destination, boolean multicast, boolean cacheHint) implements CopyInstruction {
    public BulkLoad {
        Objects.requireNonNull(destination, "destination");
        destination.requireMulticast("cp.async.bulk", multicast, BulkLoad.class);
    }

    /** The form without options, in the oldest spelling. */
    public BulkLoad() {
        this(Destination.SHARED_CLUSTER, false, false);
    }

    /** Written to a destination spelled like this. */
    public BulkLoad withDestination(Destination destination) {
        return new BulkLoad(destination, multicast, cacheHint);
    }

    /** This form with a mask of blocks, each of which gets the bytes and the count. */
    public BulkLoad withMulticast() {
        return new BulkLoad(destination, true, cacheHint);
    }

    /** This form with a cache policy as the last operand. */
    public BulkLoad withCacheHint() {
        return new BulkLoad(destination, multicast, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk").with(destination).with(".global").with(Ptx.MBARRIER_BYTES)
                .withIf(multicast, Ptx.MULTICAST).withIf(cacheHint, Ptx.CACHE_HINT)
                .operand(Ptx.SHARED_DST).operand(Ptx.GLOBAL_SRC).operand(Ptx.BYTES).operand(Ptx.MBARRIER)
                .operandIf(multicast, Ptx.CTA_MASK).operandIf(cacheHint, Ptx.POLICY)
                .named("bulk_load" + destination.suffix() + (multicast ? "_multicast" : "")
                        + (cacheHint ? "_hint" : ""))
                .needs(destination.gate(), Completion.MBARRIER,
                        reads("src", Proxy.ASYNC, counted("bytes")),
                        writes("dst", Proxy.ASYNC, counted("bytes")), updates("mbar", Proxy.ASYNC, bytes(8)));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return multicast ? List.of(this) : List.of(withDestination(Destination.SHARED_CTA),
                withDestination(Destination.SHARED_CLUSTER));
    }
}
