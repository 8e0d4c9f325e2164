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
 * {@code red.async (to global memory)}: adds a register to global memory and releases what came before, without
 * waiting. Inputs, in order: {@code dst, value}.
 *
 * @param mmio whether the address is of a device's registers
 * @param scope GPU or system
 * @param explicitSpace whether .global is written; the address is one either way
 * @param type u32, s32, u64 or s64
 */
@About(section = "red.async", role = StepRole.OTHER,
        summary = "adds a register to global memory and releases what came before, without waiting")
public record RedAsyncRelease(
        boolean mmio, Scope scope, boolean explicitSpace, DataType type)
        implements CopyInstruction {
    public RedAsyncRelease {
        NotNull.all("scope, type", scope, type);
        AsyncRelease.requireScope("red.async", scope, RedAsyncRelease.class);
        Require.update(AtomicTypes.RED_ASYNC_RELEASE, AtomicOp.ADD, type, RedAsyncRelease.class);
    }

    /** The form for ordinary memory, without optional qualifiers. */
    public RedAsyncRelease(Scope scope, DataType type) {
        this(false, scope, false, type);
    }

    /** This form for a device's registers. */
    public RedAsyncRelease withMmio() {
        return new RedAsyncRelease(true, scope, explicitSpace, type);
    }

    /** This form with .global written. */
    public RedAsyncRelease withExplicitSpace() {
        return new RedAsyncRelease(mmio, scope, true, type);
    }

    @Override
    public Form form() {
        return FormBuilder.form("red.async").withIf(mmio, ".mmio").with(".release").with(scope)
                .withIf(explicitSpace, ".global")
                .with(AtomicOp.ADD).with(type).operand(Ptx.GLOBAL_DST).operand(Operands.input(type, "value"))
                .needs(Gates.ASYNC_RELEASE, EffectsBuilder.of(Completion.NOT_OBSERVED,
                        updates("dst", Proxy.GENERIC, bytes(type.bytes())))
                        .ordered(Semantics.RELEASE, scope));
    }

    @Override
    public String caution() {
        return AsyncRelease.CAUTION;
    }
}
