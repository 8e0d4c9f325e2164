package dev.tilewright.ptx.memory;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

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
 * {@code ld.relaxed}, {@code ld.acquire}: loads a value that other threads may be writing. Inputs, in order:
 * {@code src}. Result: {@code value}.
 *
 * @param mmio whether the address is of a device's registers, at which every access counts
 * @param order what it orders
 * @param scope the threads that it is ordered for
 * @param space where the value is
 * @param type of the value: 32 or 64 bits
 */
@About(section = "ld", role = StepRole.OTHER, summary = "loads a value that other threads may be writing")
public record Ld(boolean mmio, Order order, Scope scope, Space space, DataType type) implements ScopedAccess {
    /** The memory order of the access. */
    public enum Order implements Qualifier { RELAXED, ACQUIRE }

    public Ld {
        NotNull.all("order, scope, space, type", order, scope, space, type);
        Require.type("ld", type, DataType.WORDS, Ld.class);
        Mmio.require("ld", mmio, order == Order.RELAXED, scope, space, Ld.class);
    }

    /** A load that orders nothing else. */
    public static Ld relaxed(Scope scope, Space space, DataType type) {
        return new Ld(false, Order.RELAXED, scope, space, type);
    }

    /** A load that acquires what the store that it sees released. */
    public static Ld acquire(Scope scope, Space space, DataType type) {
        return new Ld(false, Order.ACQUIRE, scope, space, type);
    }

    /** A load of a device's registers. */
    public Ld withMmio() {
        return new Ld(true, order, scope, space, type);
    }

    @Override
    public Form form() {
        return FormBuilder.form("ld").withIf(mmio, ".mmio").with(order)
                .with(scope).with(space)
                .with(type).operand(Operands.output(type, "value")).operand(Operands.source(space, "src"))
                .needs((mmio ? Gates.MMIO : Gates.AMPERE).and(Gates.of(scope)).and(Gates.of(space)),
                        EffectsBuilder.of(Completion.AT_ONCE,
                        reads("src", Proxy.GENERIC, bytes(type.bytes())))
                        .ordered(Semantics.valueOf(order.name()), scope));
    }
}
