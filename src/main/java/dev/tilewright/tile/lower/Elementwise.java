package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A tile whose elements a thread has or computes one by one, where they are used.
 *
 * @param layout which elements are a thread's
 * @param later whether they are computed where they are used
 * @param code computes one
 * @param quick does it by fewer operations
 */
record Elementwise(ValueType type, Layout layout, List<Integer> extents, boolean later, Code code,
        Optional<Quicker> quick) {
    /** Steps that compute an element. */
    interface Code {
        /** @param register its number in the layout */
        Value at(Body body, Expr register);
    }

    /** @param condition of the elements of which {@code code} has the same bits */
    record Quicker(Code condition, Code code) { }

    Elementwise(ValueType type, Layout layout, List<Integer> extents, boolean later, Code code) {
        this(type, layout, extents, later, code, Optional.empty());
    }

    /** Of a tile in registers. */
    static Elementwise of(Held held) {
        return new Elementwise(held.type(), held.layout(), held.extents(), false, (_, r) -> held.register().at(r));
    }

    /** Does something with the tile: where all elements of a thread allow it with one that is quicker. */
    void use(Body body, BiConsumer<Body, Elementwise> code) {
        if (quick.isEmpty()) {
            code.accept(body, this);
            return;
        }
        Register all = body.variable("quick", Value.of(Expr.of(0).isEqualTo(0)));
        Registers.each(body, layout.registerCount(), (b, r) -> b.assign(all, all.get().and(quick.get()
                .condition().at(b, r))));
        body.when(all.get().toIndex(), b -> code.accept(b, new Elementwise(type, layout, extents, later,
                quick.get().code())), b -> code.accept(b, new Elementwise(type, layout, extents, later, this.code)));
    }

    Value at(Body body, Expr register) {
        return code.at(body, register);
    }
}
