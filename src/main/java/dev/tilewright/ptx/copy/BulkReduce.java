package dev.tilewright.ptx.copy;

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
 * {@code cp.reduce.async.bulk (shared to global)}: one thread starts a TMA reduction of contiguous elements of shared
 * memory into global memory, in its open bulk group. Inputs, in order: {@code dst, src, bytes, [policy]}.
 *
 * <p>Addresses and byte count are multiples of 16. Each element is updated atomically by itself (relaxed, GPU scope).
 *
 * @param op the operation
 * @param type the elements: and, or, xor on b32, b64; add on u32, s32, u64, f16, bf16, f32, f64; inc, dec on u32; min,
 *     max on u32, s32, u64, s64, f16, bf16
 * @param cacheHint whether a cache policy follows
 */
@About(section = "cp.reduce.async.bulk", role = StepRole.OTHER,
        summary = "one thread starts a TMA reduction of contiguous elements of shared memory into global memory, in"
                + " its open bulk group")
public record BulkReduce(AtomicOp op, DataType type, boolean cacheHint) implements CopyInstruction {
    public BulkReduce {
        NotNull.all("op, type", op, type);
        Require.update(AtomicTypes.BULK_TO_GLOBAL, op, type, BulkReduce.class);
    }

    /** The form without options. */
    public BulkReduce(AtomicOp op, DataType type) {
        this(op, type, false);
    }

    /** This form with a cache policy as the last operand. */
    public BulkReduce withCacheHint() {
        return new BulkReduce(op, type, true);
    }

    @Override
    public Form form() {
        boolean half = type == DataType.F16 || type == DataType.BF16;
        return FormBuilder.form("cp.reduce.async.bulk.global.shared::cta.bulk_group").withIf(cacheHint, Ptx.CACHE_HINT)
                .with(op)
                .withIf(half && op == AtomicOp.ADD, ".noftz").with(type)
                .operand(Ptx.GLOBAL_DST).operand(Ptx.SHARED_SRC).operand(Ptx.BYTES).operandIf(cacheHint, Ptx.POLICY)
                .named("bulk_reduce_" + op + "_" + type + (cacheHint ? "_hint" : ""))
                .needs(Gates.HOPPER, EffectsBuilder.of(Completion.BULK_GROUP,
                        reads("src", Proxy.ASYNC, counted("bytes")),
                        updates("dst", Proxy.ASYNC, counted("bytes"))).ordered(Semantics.RELAXED, Scope.GPU));
    }
}
