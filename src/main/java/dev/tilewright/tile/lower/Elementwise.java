package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.List;

/**
 * A tile whose elements a thread has or computes one by one, where they are used.
 *
 * @param layout which elements are a thread's
 * @param later whether they are computed where they are used
 * @param code computes one
 */
record Elementwise(ValueType type, Layout layout, List<Integer> extents, boolean later, Code code) {
    /** Steps that compute an element. */
    interface Code {
        /** @param register its number in the layout */
        Value at(Body body, Expr register);
    }

    /** Of a tile in registers. */
    static Elementwise of(Held held) {
        return new Elementwise(held.type(), held.layout(), held.extents(), false, (_, r) -> held.register().at(r));
    }

    Value at(Body body, Expr register) {
        return code.at(body, register);
    }
}
