package dev.tilewright.emit;

import dev.tilewright.program.Expr;
import dev.tilewright.program.ExprSearch;
import dev.tilewright.program.Register;
import dev.tilewright.program.Value;
import dev.tilewright.program.ValueFunction;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.util.HashSet;
import java.util.Set;

/**
 * Where it matters which NaN a value is. Arithmetic in f64 hands payloads on, of which two the compiler chooses, so that
 * one NaN is put in the place of all; but what only goes into further arithmetic, comparisons and conversions may be any:
 * they do not look at a payload, and it is their result in whose place the one NaN is put.
 */
final class NanBits {

    /** Is told of each value within one whether it matters which NaN it is. */
    interface Visitor {
        void visit(Value value, boolean matters);
    }

    private NanBits() {
    }

    /** Visits a value and all within it. @param asked whether that is asked of the value itself */
    static void walk(Value value, boolean asked, Visitor visitor) {
        boolean matters = asked && !isNumber(value);
        visitor.visit(value, matters);
        switch (value) {
            case Value.Const _, Value.Scalar _ -> { }
            case Value.Element(Register _, var index) -> within(index, visitor);
            case Value.Index(var expr) -> within(expr, visitor);
            case Value.Unary v -> walk(v.value(), ofOperand(v, matters), visitor);
            case Value.Binary v -> {
                walk(v.left(), ofOperand(v, matters), visitor);
                walk(v.right(), ofSign(v), visitor);
            }
            case Value.Fma v -> {
                walk(v.a(), false, visitor);
                walk(v.b(), false, visitor);
                walk(v.c(), false, visitor);
            }
            case Value.Compare v -> {
                walk(v.left(), false, visitor);
                walk(v.right(), false, visitor);
            }
            case Value.Select v -> {
                walk(v.condition(), false, visitor);
                walk(v.yes(), matters, visitor);
                walk(v.no(), matters, visitor);
            }
            case Value.Convert v -> walk(v.value(), ofOperand(v, matters), visitor);
            case Value.BitCast v -> walk(v.value(), true, visitor);
            case Value.Approximate v -> walk(v.value(), false, visitor);
            case Value.Call v -> v.arguments().forEach(a -> walk(a, true, visitor));
        }
    }

    private static void within(Expr expr, Visitor visitor) {
        ExprSearch.any(expr, part -> {
            if (part instanceof Expr.OfValue(Value value)) {
                walk(value, true, visitor);
            }
            return false;
        });
    }

    /** Of the operand, or the first one: signs are changed without looking at a NaN. */
    static boolean ofOperand(Value.Unary v, boolean matters) {
        return switch (v.op()) {
            case NEGATE, ABS -> matters;
            default -> false;
        };
    }

    static boolean ofOperand(Value.Binary v, boolean matters) {
        return switch (v.op()) {
            case COPY_SIGN -> matters;
            default -> false;
        };
    }

    /** Of what is converted: bf16 to f32 moves bits, and to the own type nothing is done. */
    static boolean ofOperand(Value.Convert v, boolean matters) {
        ValueType from = v.conversion().from();
        ValueType to = v.conversion().to();
        return matters && (from == to || from == ValueType.BF16 && to == ValueType.F32);
    }

    /** Whether a value is never a NaN: the smaller or greater of anything and a number. */
    static boolean isNumber(Value value) {
        return value instanceof Value.Binary v && switch (v.op()) {
            case MIN, MAX -> isConstantNumber(v.left()) || isConstantNumber(v.right());
            default -> false;
        };
    }

    private static boolean isConstantNumber(Value value) {
        return value instanceof Value.Const(ValueType type, long word) && type.isFloat()
                && ValueMath.compare(Comparison.ORDERED, type).test(word, word);
    }

    /** Of the second operand: a sign that is copied is that of a NaN too. */
    static boolean ofSign(Value.Binary v) {
        return switch (v.op()) {
            case COPY_SIGN -> true;
            default -> false;
        };
    }

    /** The names within a function of which it matters, its result being one of which it does. */
    static Set<Register> within(ValueFunction function) {
        Set<Register> matter = new HashSet<>();
        Visitor note = (value, matters) -> {
            if (matters && value instanceof Value.Element(Register register, var _)) {
                matter.add(register);
            }
        };
        walk(function.result(), true, note);
        // A name is used after its own value alone.
        for (ValueFunction.Let let : function.lets().reversed()) {
            walk(let.value(), matter.contains(let.register()), note);
        }
        return matter;
    }
}
