package dev.tilewright.reference.code;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/**
 * What is said about index arithmetic that has no result. Apart from the arithmetic, so that this stays small and fast.
 */
public final class IndexFault {

    private IndexFault() { }

    public static Fault of(Op op, IntType type, long a, long b) {
        return new Fault(Kind.ARITHMETIC, Arithmetic.complaint(op, type, a, b));
    }

    public static Fault narrowing(long value) {
        return new Fault(Kind.ARITHMETIC, value + " does not fit a 32-bit index");
    }
}
