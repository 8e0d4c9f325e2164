package dev.tilewright.emit;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Where it matters which NaN a value is. Arithmetic in f64 passes payloads on, and the compiler chooses whose, so every
 * NaN is replaced by the same one. A value that only goes into further arithmetic, comparisons and conversions may keep
 * any NaN: these do not look at a payload, and their result is replaced.
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
            case Value.Element(Register _, var index) -> within(index, visitor);
            case Value.Index(var expr) -> within(expr, visitor);
            default -> {
                for (int i = 0; i < value.parts().size(); i++) {
                    walk(value.parts().get(i), ofPart(value, i, matters), visitor);
                }
            }
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

    /** Whether it matters of a part, where it does or does not of the whole. */
    static boolean ofPart(Value value, int part, boolean matters) {
        return switch (value) {
            // Signs are changed without looking at a NaN; a sign that is copied is that of a NaN, too.
            case Value.Unary(var op, var _, var _) -> matters && (op == UnaryOp.NEGATE || op == UnaryOp.ABS);
            case Value.Binary v -> v.op() == BinaryOp.COPY_SIGN && (part == 1 || matters);
            case Value.Fma _, Value.Compare _, Value.Approximate _ -> false;
            case Value.Select _ -> part > 0 && matters;
            // bf16 to f32 moves bits, and to the own type nothing is done.
            case Value.Convert v -> matters && (v.conversion().from() == v.type()
                    || v.conversion().from() == ValueType.BF16 && v.type() == ValueType.F32);
            default -> true;
        };
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

    /** Whether it matters of what a step's values are: of each by itself, or of the register that takes it. */
    static void walk(Operation operation, Set<Register> matter, Visitor visitor) {
        switch (operation) {
            case Operation.Declare(Register register, var initial, boolean _) ->
                    initial.ifPresent(value -> walk(value, matter.contains(register), visitor));
            case Operation.Assign(Register register, Expr index, Value value) -> {
                within(index, visitor);
                walk(value, matter.contains(register), visitor);
            }
            default -> operation.parts().forEach(value -> walk(value, true, visitor));
        }
    }

    /** The registers whose NaNs matter: all that go into anything but further arithmetic. */
    static Set<Register> within(List<Step> steps) {
        Set<Register> matter = new HashSet<>();
        int before;
        do {
            before = matter.size();
            for (Step step : steps) {
                walk(step.operation(), matter, (value, matters) -> {
                    if (matters && value instanceof Value.Element(Register register, var _)) {
                        matter.add(register);
                    }
                });
                if (step.operation() instanceof Operation.Instruction instruction) {
                    instruction.inputs().stream().filter(Input.Registers.class::isInstance)
                            .forEach(input -> matter.add(((Input.Registers) input).register()));
                }
            }
        } while (matter.size() > before);
        return matter;
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
