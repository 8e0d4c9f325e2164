package dev.tilewright.program.expression;

import dev.tilewright.program.expression.Expr.Binary;
import dev.tilewright.program.expression.Expr.Compare;
import dev.tilewright.program.expression.Expr.Const;
import dev.tilewright.program.expression.Expr.Convert;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import java.util.Objects;

/**
 * Builds expressions, leaving out what changes nothing ({@code x + 0}, {@code x * 1}) and computing constants. The
 * right side is the {@code other} of the methods of {@link Expr}.
 */
final class Fold {

    private Fold() { }

    static Expr binary(Op op, Expr left, Expr right) {
        Objects.requireNonNull(right, "other");
        IntType type = IntType.wider(left.type(), right.type());
        Expr a = left.as(type);
        Expr b = right.as(type);
        if (a instanceof Const x && b instanceof Const y) {
            return new Const(Arithmetic.apply(op, type, x.value(), y.value()), type);
        }
        if (b instanceof Const(long value, IntType _)) {
            if (value == 0 && (op == Op.ADD || op == Op.SUB || op == Op.XOR || op == Op.SHR || op == Op.SHL)
                    || value == 1 && (op == Op.MUL || op == Op.DIV)) {
                return a;
            }
            if (value == 1 && op == Op.REM || value == 0 && (op == Op.MUL || op == Op.AND)) {
                return new Const(0, type);
            }
        }
        if (a instanceof Const(long value, IntType _)) {
            if (value == 0 && op == Op.ADD || value == 1 && op == Op.MUL) {
                return b;
            }
            if (value == 0 && op == Op.MUL) {
                return a;
            }
        }
        return new Binary(op, a, b);
    }

    static Expr compare(Relation relation, Expr left, Expr right) {
        Objects.requireNonNull(right, "other");
        IntType type = IntType.wider(left.type(), right.type());
        return new Compare(relation, left.as(type), right.as(type));
    }

    static Expr not(Expr condition) {
        return switch (condition) {
            case Compare c -> new Compare(switch (c.relation()) {
                case EQ -> Relation.NE;
                case NE -> Relation.EQ;
                case LT -> Relation.GE;
                case GE -> Relation.LT;
                case LE -> Relation.GT;
                case GT -> Relation.LE;
            }, c.left(), c.right());
            case Expr.Not n -> n.condition();
            default -> new Expr.Not(condition);
        };
    }

    static Expr convert(Expr value, IntType type) {
        if (value.type() == type) {
            return value;
        }
        if (value instanceof Const(long constant, IntType _)) {
            return new Const(constant, type);
        }
        return new Convert(value, type);
    }
}
