package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;

/**
 * Powers of two of a tile's elements, started one after the other. The unit for powers takes one of a warp every eight
 * cycles. ptxas (13.0) puts the multiplications of all elements before most powers: then the unit waits first, and the
 * warp afterwards. Here four elements begin with a number that depends on a power of eight elements before. The
 * dependence changes no bit: it adds the sign of a power, which is 0 even if the power is not a number.
 */
public final class Paced {
    /** Neighbours in a row, computed together with the two that are half the registers behind. */
    private static final int NEIGHBOURS = 2;
    private static final int AHEAD = 2 * NEIGHBOURS;
    private static final long SIGN = 1L << 31;

    private Paced() {
    }

    /**
     * Computes elements.
     *
     * @param powers whose elements are powers of two, computed with {@code paced}
     * @param to where they go, which may be where they come from
     * @param rows what elements have by row: of an element's register the second bit is which
     * @param paced is read instead of them
     */
    public static void assign(Body body, Elementwise powers, Register to, Register rows, Register paced) {
        int half = to.count() / 2;
        for (int i = 0; i < half; i += NEIGHBOURS) {
            int row = i / NEIGHBOURS % 2;
            Value given = rows.at(row);
            if (i >= AHEAD) {
                Value power = to.at(i - AHEAD + half + 1);
                given = given.bitCast(ValueType.U32).or(power.bitCast(ValueType.U32).and(Value.of(ValueType.U32, SIGN)))
                        .bitCast(ValueType.F32);
            }
            body.assign(paced.at(row), given);
            for (int r = 0; r < 2 * NEIGHBOURS; r++) {
                Expr element = Expr.of(i + r % NEIGHBOURS + r / NEIGHBOURS * half);
                body.assign(to.at(element), powers.at(body, element));
            }
        }
    }
}
