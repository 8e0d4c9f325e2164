package dev.tilewright.tile.lower.layout;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;

/** Powers of two that divide an index, whatever the launch's extents, the tile's number and the turn are. */
public final class Multiples {
    /** Bytes of a row at whose multiples an access of 16 bytes, and a box of the copy engine, begins. */
    static final int CHUNK = 16;
    /** The exponent of 0, which all powers divide. */
    private static final int OF_ZERO = Long.SIZE - 1;

    private Multiples() {
    }

    /** Whether places along a tensor's last dimension begin at a multiple of 16 bytes of a row. */
    public static boolean isChunk(Tensor tensor, Span last) {
        NotNull.all("tensor, last", tensor, last);
        return exponent(last.start()) >= Layout.bitsOf(CHUNK / tensor.type().bytes());
    }

    /** The exponent of a power of two that divides an index, 0 where nothing is known. */
    static int exponent(Expr e) {
        return switch (e) {
            case Expr.Const number -> number.value() == 0 ? OF_ZERO : Long.numberOfTrailingZeros(number.value());
            case Expr.Named named -> exponent(named.value());
            case Expr.Convert convert -> exponent(convert.value());
            case Expr.Select select -> Math.min(exponent(select.yes()), exponent(select.no()));
            case Expr.Binary binary -> exponent(binary, exponent(binary.left()), exponent(binary.right()));
            default -> 0;
        };
    }

    private static int exponent(Expr.Binary binary, int left, int right) {
        return switch (binary.op()) {
            case ADD, SUB, MIN, MAX, OR, XOR -> Math.min(left, right);
            // The remainder is the dividend less a multiple of the divisor.
            case REM -> Math.min(left, right);
            case MUL -> Math.min(OF_ZERO, left + right);
            case AND -> Math.max(left, right);
            case DIV -> isPower(binary.right()) ? Math.max(0, left - right) : 0;
            case SHL, SHR -> 0;
        };
    }

    private static boolean isPower(Expr e) {
        return e.constant().isPresent() && e.constant().getAsLong() > 0 && Long.bitCount(e.constant().getAsLong()) == 1;
    }
}
