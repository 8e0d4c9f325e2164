package dev.tilewright.ptx.memory;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;

/**
 * {@code st.relaxed}, {@code st.release}: stores a value that other threads may be reading. Inputs, in order:
 * {@code dst, value}.
 *
 * @param mmio whether the address is of a device's registers, at which every access counts
 * @param order what it orders
 * @param scope the threads that it is ordered for
 * @param space where the value is
 * @param type of the value: 32 or 64 bits
 */
@About(section = "st", role = StepRole.OTHER, summary = "stores a value that other threads may be reading")
public record St(boolean mmio, Order order, Scope scope, Space space, DataType type) implements ScopedAccess {
    /** The memory order of the access. */
    public enum Order implements Qualifier { RELAXED, RELEASE }

    public St {
        NotNull.all("order, scope, space, type", order, scope, space, type);
        Require.type("st", type, DataType.WORDS, St.class);
        Mmio.require("st", mmio, order == Order.RELAXED, scope, space, St.class);
    }

    /** A store that orders nothing else. */
    public static St relaxed(Scope scope, Space space, DataType type) {
        return new St(false, Order.RELAXED, scope, space, type);
    }

    /** A store that releases what came before it. */
    public static St release(Scope scope, Space space, DataType type) {
        return new St(false, Order.RELEASE, scope, space, type);
    }

    /** This form for a device's registers. */
    public St withMmio() {
        return new St(true, order, scope, space, type);
    }

    @Override
    public Form form() {
        return FormBuilder.form("st").withIf(mmio, ".mmio").with(order)
                .with(scope).with(space)
                .with(type).operand(Operands.destination(space, "dst")).operand(Operands.input(type, "value"))
                .needs((mmio ? Gates.MMIO : Gates.AMPERE).and(Gates.of(scope)).and(Gates.of(space)),
                        EffectsBuilder.of(Completion.AT_ONCE,
                        writes("dst", Proxy.GENERIC, bytes(type.bytes())))
                        .ordered(Semantics.valueOf(order.name()), scope));
    }
}
