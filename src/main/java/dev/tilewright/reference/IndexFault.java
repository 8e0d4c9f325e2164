package dev.tilewright.reference;

import dev.tilewright.program.Expr.Op;
import dev.tilewright.program.IntType;
import dev.tilewright.reference.ReferenceException.Kind;

/** What is said about index arithmetic that has no result. Apart from the arithmetic, so that this stays small and fast. */
final class IndexFault {

    private IndexFault() {
    }

    static Fault of(Op op, IntType type, long a, long b) {
        String expression = switch (op) {
            case MIN, MAX -> op.symbol() + "(" + a + ", " + b + ")";
            default -> a + " " + op.symbol() + " " + (b < 0 ? "(" + b + ")" : b);
        };
        if (b == 0 && (op == Op.DIV || op == Op.REM)) {
            return new Fault(Kind.ARITHMETIC, expression + " divides by zero");
        }
        return new Fault(Kind.ARITHMETIC, expression + " does not fit a " + bits(type) + "-bit index");
    }

    static Fault narrowing(long value) {
        return new Fault(Kind.ARITHMETIC, value + " does not fit a 32-bit index");
    }

    private static int bits(IntType type) {
        return type == IntType.S32 ? 32 : 64;
    }
}
