package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.function.BiConsumer;

/** Does the same with each of a thread's registers. */
final class Registers {
    private Registers() {
    }

    static void each(Body body, int count, BiConsumer<Body, Expr> code) {
        if (count == 1) {
            code.accept(body, Expr.of(0));
        } else {
            body.unrolled("r", count, code::accept);
        }
    }

    static Held held(Body body, String name, ValueType type, Layout layout, List<Integer> extents) {
        require(type, layout, extents);
        return new Held(body.registers(name, type, layout.registerCount()), layout, extents);
    }

    /** Refuses a tile of which a thread would hold more than it has registers. */
    static void require(ValueType type, Layout layout, List<Integer> extents) {
        int words = layout.registerCount() * Math.ceilDiv(type.bits(), Integer.SIZE);
        int threads = 1 << layout.threads().size();
        if (words > Register.MOST) {
            throw new OutOfRegistersException("a tile of " + extents + " elements of " + type + " takes " + words
                    + " registers of each of a block's " + threads + " threads, and there are " + Register.MOST
                    + ": use smaller tiles" + (threads < 1024 ? " or more threads" : ""));
        }
    }
}
