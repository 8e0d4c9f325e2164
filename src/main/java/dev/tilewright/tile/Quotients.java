package dev.tilewright.tile;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.expression.ValueRewrite;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.Optional;

/**
 * Divisions of integers as tiles have them, defined for all divisors: {@code x / 0} is 0, and {@code x % 0} is x. A
 * divisor may be zero where no element is stored, outside of a tensor.
 */
final class Quotients {
    private Quotients() { }

    /** The value with its divisions so. */
    static Value defined(Value value) {
        return ValueRewrite.of(value, part -> part instanceof Value.Binary division && isUndefined(division)
                ? Optional.of(of(division.op(), defined(division.left()), defined(division.right())))
                : Optional.empty());
    }

    private static boolean isUndefined(Value.Binary division) {
        return (division.op() == BinaryOp.DIV || division.op() == BinaryOp.REM) && division.type().isInteger()
                && !(division.right() instanceof Value.Const(var _, long word) && word != 0);
    }

    /** What is computed of others is an argument of a function: written out, it would be there two or three times. */
    private static Value of(BinaryOp op, Value dividend, Value divisor) {
        boolean isDivision = op == BinaryOp.DIV;
        if (divisor.parts().isEmpty() && (isDivision || dividend.parts().isEmpty())) {
            return inPlace(op, dividend, divisor);
        }
        ValueType type = divisor.type();
        return ValueFunction.of((isDivision ? "quotient_" : "remainder_") + type, "x " + (isDivision ? "/" : "%")
                + " y; where y is 0, " + (isDivision ? "0." : "x."), type, type, (_, x, y) -> inPlace(op, x, y))
                .of(dividend, divisor);
    }

    private static Value inPlace(BinaryOp op, Value dividend, Value divisor) {
        Value zero = divisor.isEqualTo(Value.of(divisor.type(), 0));
        Value result = new Value.Binary(op, dividend, zero.choose(Value.of(divisor.type(), 1), divisor));
        return zero.choose(op == BinaryOp.DIV ? Value.of(divisor.type(), 0) : dividend, result);
    }
}
