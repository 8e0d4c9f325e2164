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
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;

/**
 * {@code cp.async.bulk (shared to shared)}: one thread starts a TMA copy of contiguous bytes from the block's own
 * shared memory to that of a block of the cluster; an mbarrier beside the destination counts the bytes that land.
 * Inputs, in order: {@code dst, src, bytes, mbar}.
 *
 * <p>Addresses and byte count are multiples of 16.
 */
@About(section = "cp.async.bulk", role = StepRole.COUNTED_LOAD,
        summary = "one thread starts a TMA copy of contiguous bytes to the shared memory of a block of the cluster; an"
                + " mbarrier there counts them")
public record BulkClusterCopy() implements CopyInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("cp.async.bulk.shared::cluster.shared::cta").with(Ptx.MBARRIER_BYTES)
                .operand(Ptx.CLUSTER_DST).operand(Ptx.SHARED_SRC).operand(Ptx.BYTES).operand(Ptx.CLUSTER_MBARRIER)
                .named("bulk_cluster_copy")
                .needs(Gates.HOPPER, Completion.MBARRIER, reads("src", Proxy.ASYNC, counted("bytes")),
                        writes("dst", Proxy.ASYNC, counted("bytes")), updates("mbar", Proxy.ASYNC, bytes(8)));
    }
}
