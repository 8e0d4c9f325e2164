package dev.tilewright.ptx;

import static dev.tilewright.ptx.Effects.bytes;
import static dev.tilewright.ptx.Effects.updates;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;

/**
 * {@code red}: updates a value as one step that no other thread can come between.
 *
 * @param release whether it releases what came before; else it is relaxed
 * @param scope the threads that it is one step for
 * @param space where the value is
 * @param op what happens to it: any that hands out nothing
 * @param type of the value: 32 or 64 bits, those that the operation has
 */
public record Red(boolean release, Scope scope, Space space, AtomOp op, WordType type) implements PtxInstruction {
    private static final String SECTION = "red";

    public Red {
        if (!op.isReduction()) {
            throw new IllegalFormException("red has no ." + op + ": use atom", SECTION);
        }
        op.require("red", type, SECTION);
    }

    @Override
    public Form form() {
        return FormBuilder.form("red").with(release ? ".release" : ".relaxed").with(scope).with(space).with(op).with(type)
                .operand(space.destination("dst")).operand(type.input("value"))
                .needs(scope.gate().and(space.gate()), Effects.of(Completion.AT_ONCE,
                                updates("dst", Proxy.GENERIC, bytes(type.bytes())))
                        .ordered(release ? Semantics.RELEASE : Semantics.RELAXED, scope));
    }

    @Override
    public String summary() {
        return "updates a value as one step that no other thread can come between";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
