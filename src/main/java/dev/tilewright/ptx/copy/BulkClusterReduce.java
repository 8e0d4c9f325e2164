package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.counted;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.AtomicTypes;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;

/**
 * {@code cp.reduce.async.bulk (shared to shared)}: one thread starts a TMA reduction of contiguous elements into the
 * shared memory of a block of the cluster; an mbarrier beside the destination counts the bytes. Inputs, in order:
 * {@code dst, src, bytes, mbar}.
 *
 * <p>In a kernel without clusters, into the own block, an H200 was seen to find it illegal. Addresses and byte count
 * are multiples of 16. Each element is updated atomically by itself (relaxed, GPU scope).
 *
 * @param op the operation
 * @param type the elements: and, or, xor on b32; add on u32, s32, u64; inc, dec on u32; min, max on u32, s32
 */
@About(section = "cp.reduce.async.bulk", role = StepRole.COUNTED_LOAD,
        summary = "one thread starts a TMA reduction of contiguous elements into the shared memory of a block of the"
                + " cluster; an mbarrier there counts them")
public record BulkClusterReduce(AtomicOp op, DataType type) implements CopyInstruction {
    public BulkClusterReduce {
        NotNull.all("op, type", op, type);
        Require.update(AtomicTypes.BULK_TO_SHARED, op, type, BulkClusterReduce.class);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.reduce.async.bulk.shared::cluster.shared::cta").with(Ptx.MBARRIER_BYTES).with(op)
                .with(type)
                .operand(Ptx.CLUSTER_DST).operand(Ptx.SHARED_SRC).operand(Ptx.BYTES).operand(Ptx.CLUSTER_MBARRIER)
                .named("bulk_cluster_reduce_" + op + "_" + type)
                .needs(Gates.HOPPER, EffectsBuilder.of(Completion.MBARRIER, reads("src", Proxy.ASYNC, counted("bytes")),
                        updates("dst", Proxy.ASYNC, counted("bytes")), updates("mbar", Proxy.ASYNC, bytes(8)))
                        .ordered(Semantics.RELAXED, Scope.GPU));
    }
}
