package dev.tilewright.emit;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;

/** Numbers that are seen to be from 2^-125 to 2^125: between two constants. One over such a one is a normal number. */
final class Moderate {
    private static final float LEAST = 0x1p-125f;
    private static final float GREATEST = 0x1p125f;

    private Moderate() {
    }

    static boolean isReciprocal(Value.Unary value) {
        return value.op() == UnaryOp.RECIPROCAL && value.type() == ValueType.F32
                && value.value() instanceof Value.Binary greater && greater.op() == BinaryOp.MAX
                && isConstant(greater.right()) && greater.left() instanceof Value.Binary smaller
                && smaller.op() == BinaryOp.MIN && isConstant(smaller.right());
    }

    private static boolean isConstant(Value value) {
        if (value instanceof Value.Const(ValueType type, long word) && type == ValueType.F32) {
            float number = Float.intBitsToFloat((int) word);
            return number >= LEAST && number <= GREATEST;
        }
        return false;
    }
}
