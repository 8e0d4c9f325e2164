package dev.tilewright.ptx.memory;

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
 * {@code atom}: atomically updates a value, and returns the old one. Inputs, in order:
 * {@code dst, value, [replacement]}. Result: {@code old}.
 *
 * @param order what it orders besides itself
 * @param scope the threads that it is atomic for
 * @param space where the value is
 * @param op what happens to it
 * @param type of the value: one that the operation has
 */
@About(section = "atom", role = StepRole.OTHER, summary = "atomically updates a value, and returns the old one")
public record Atom(Order order, Scope scope, Space space, AtomicOp op, DataType type) implements ScopedAccess {
    /** The memory order of the update. */
    public enum Order implements Qualifier {
        RELAXED, ACQUIRE, RELEASE, ACQ_REL;
    }

    public Atom {
        NotNull.all("order, scope, space, op, type", order, scope, space, op, type);
        Require.update(AtomicTypes.ATOM, op, type, Atom.class);
    }

    /** An update that orders nothing else. */
    public static Atom relaxed(Scope scope, Space space, AtomicOp op, DataType type) {
        return new Atom(Order.RELAXED, scope, space, op, type);
    }

    /** An update that acquires what the write that it sees released. */
    public static Atom acquire(Scope scope, Space space, AtomicOp op, DataType type) {
        return new Atom(Order.ACQUIRE, scope, space, op, type);
    }

    /** An update that releases what came before it. */
    public static Atom release(Scope scope, Space space, AtomicOp op, DataType type) {
        return new Atom(Order.RELEASE, scope, space, op, type);
    }

    /** An update that does both. */
    public static Atom acqRel(Scope scope, Space space, AtomicOp op, DataType type) {
        return new Atom(Order.ACQ_REL, scope, space, op, type);
    }

    @Override
    public Form form() {
        return FormBuilder.form("atom").with(order).with(scope).with(space).with(op).with(type)
                .operand(Operands.output(type, "old")).operand(Operands.destination(space, "dst"))
                .operand(Operands.input(type, "value"))
                .operandIf(op == AtomicOp.CAS, Operands.input(type, "replacement"))
                .needs(Gates.of(scope).and(Gates.of(space)), EffectsBuilder.of(Completion.AT_ONCE,
                        updates("dst", Proxy.GENERIC, bytes(type.bytes())))
                                .ordered(Semantics.valueOf(order.name()), scope));
    }
}
