package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.function.BiConsumer;

/** Does the same with each of a thread's registers. */
public final class Registers {
    private static final int OF_BLOCK = 65536;

    private Registers() {
    }

    public static void each(Body body, int count, BiConsumer<Body, Expr> code) {
        if (count == 1) {
            code.accept(body, Expr.of(0));
        } else {
            body.unrolled("r", count, code::accept);
        }
    }

    public static Held held(Body body, String name, ValueType type, Layout layout, List<Integer> extents) {
        require(type, layout, extents);
        return new Held(body.registers(name, type, layout.registerCount()), layout, extents);
    }

    /** Refuses a tile of which a thread would hold more than it has registers. */
    public static void require(ValueType type, Layout layout, List<Integer> extents) {
        int count = layout.registerCount();
        // Two of 16 bits share one, of as many as an array of registers has.
        int words = type.bits() == Short.SIZE && count <= Register.MOST ? Math.ceilDiv(count, 2)
                : count * Math.ceilDiv(type.bits(), Integer.SIZE);
        int threads = 1 << layout.threads().size();
        // A tile that takes all of a block's registers leaves none to compute with.
        int most = Math.min(Register.MOST, OF_BLOCK / threads - 1);
        // Blocks that each hold all of the tile take as many as one.
        long parts = layout.blocks().stream().filter(place -> place.stream().anyMatch(bit -> bit != 0)).count();
        if (words > most) {
            throw new OutOfRegistersException("a tile of " + extents + " elements of " + type + " takes " + words
                    + " registers of each of " + (parts == 0 ? "a block's " : "the " + (1 << parts) + " blocks' ")
                    + threads + " threads, and there are " + most
                    + ": use smaller tiles" + (threads < 1024 && layout.blocks().isEmpty() ? ", more threads" : "")
                    + ", or go along them in a loop");
        }
    }
}
