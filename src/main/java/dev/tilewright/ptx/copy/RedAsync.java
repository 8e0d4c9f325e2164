package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
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
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;

/**
 * {@code red.async (to shared memory)}: reduces a register into the shared memory of a block of the cluster; an
 * mbarrier there counts the bytes. Inputs, in order: {@code dst, value, mbar}.
 *
 * @param op the operation
 * @param type of the value: and, or, xor on b32; add on u32, s32, u64, s64; inc, dec on u32; min, max on u32, s32
 * @param explicitSpace whether .shared::cluster is written; the address is one either way
 */
@About(section = "red.async", role = StepRole.COUNTED_LOAD,
        summary = "reduces a register into the shared memory of a block of the cluster; an mbarrier there counts the"
                + " bytes")
public record RedAsync(AtomicOp op, DataType type, boolean explicitSpace) implements CopyInstruction {
    public RedAsync {
        NotNull.all("op, type", op, type);
        Require.update(AtomicTypes.RED_ASYNC, op, type, RedAsync.class);
    }

    /** The form without optional qualifiers. */
    public RedAsync(AtomicOp op, DataType type) {
        this(op, type, false);
    }

    /** This form with .shared::cluster written. */
    public RedAsync withExplicitSpace() {
        return new RedAsync(op, type, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("red.async.relaxed.cluster").withIf(explicitSpace, ".shared::cluster")
                .with(Ptx.MBARRIER_BYTES)
                .with(op).with(type).operand(Ptx.CLUSTER_DST).operand(Operands.input(type, "value"))
                .operand(Ptx.CLUSTER_MBARRIER)
                .needs(Gates.ST_ASYNC, EffectsBuilder.of(Completion.MBARRIER,
                        updates("dst", Proxy.GENERIC, bytes(type.bytes())),
                        updates("mbar", Proxy.GENERIC, bytes(8))).ordered(Semantics.RELAXED, Scope.CLUSTER));
    }
}
