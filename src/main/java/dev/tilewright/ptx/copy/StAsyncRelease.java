package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;

/**
 * {@code st.async (to global memory)}: stores a register to global memory and releases what came before, without
 * waiting. Inputs, in order: {@code dst, value}.
 *
 * @param mmio whether the address is of a device's registers
 * @param scope GPU or system
 * @param explicitSpace whether .global is written; the address is one either way
 * @param type of the value
 */
@About(section = "st.async", role = StepRole.OTHER,
        summary = "stores a register to global memory and releases what came before, without waiting")
public record StAsyncRelease(
        boolean mmio, Scope scope, boolean explicitSpace, DataType type)
        implements CopyInstruction {
    public StAsyncRelease {
        NotNull.all("scope, type", scope, type);
        AsyncRelease.requireScope("st.async", scope, StAsyncRelease.class);
        if (type == DataType.F16 || type == DataType.BF16) {
            throw new IllegalFormException("st.async stores b, u, s of 8 to 64 bits, f32 and f64, got " + type,
                    StAsyncRelease.class);
        }
    }

    /** The form for ordinary memory, without optional qualifiers. */
    public StAsyncRelease(Scope scope, DataType type) {
        this(false, scope, false, type);
    }

    /** This form for a device's registers. */
    public StAsyncRelease withMmio() {
        return new StAsyncRelease(true, scope, explicitSpace, type);
    }

    /** This form with .global written. */
    public StAsyncRelease withExplicitSpace() {
        return new StAsyncRelease(mmio, scope, true, type);
    }

    @Override
    public Form form() {
        return FormBuilder.form("st.async").withIf(mmio, ".mmio").with(".release").with(scope)
                .withIf(explicitSpace, ".global").with(type)
                .operand(Ptx.GLOBAL_DST).operand(Operands.input(type, "value"))
                .needs(Gates.ASYNC_RELEASE, EffectsBuilder.of(Completion.NOT_OBSERVED,
                        writes("dst", Proxy.GENERIC, bytes(type.bytes())))
                        .ordered(Semantics.RELEASE, scope));
    }

    @Override
    public String caution() {
        return AsyncRelease.CAUTION;
    }
}
