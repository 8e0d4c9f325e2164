package dev.tilewright.emit;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.stream.Collectors;

/**
 * Prints values as C++: every operation by an intrinsic or a function with one rounding, so that nothing is contracted.
 */
final class ValueText {
    private final NameScope names;
    private final ValueFunctions functions;
    private final ExprText expressions;

    ValueText(NameScope names, ValueFunctions functions) {
        this.names = names;
        this.functions = functions;
        this.expressions = new ExprText(names, this);
    }

    ExprText expressions() {
        return expressions;
    }

    /** A text that can stand as an argument or an operand anywhere. */
    String of(Value value) {
        return of(value, true);
    }

    /** @param asked whether it matters which NaN it is, see {@link NanBits} */
    String of(Value value, boolean asked) {
        boolean nanMatters = asked && !NanBits.isNumber(value);
        return switch (value) {
            case Value.Const c -> functions.constant(c.type(), c.word());
            // For inline PTX nvcc would branch around what uses it.
            case Value.Unary(UnaryOp op, Value.Const(ValueType type, long word), Expr.Size _)
                    when op == UnaryOp.NEGATE && type == ValueType.F32 -> functions.constant(type, type.word(word
                            ^ 0x80000000L));
            case Value.Index(Expr expr) -> expressions.primary(expr);
            case Value.Scalar s -> names.of(s.parameter());
            case Value.Element(Register register, Expr index) -> element(register, index);
            case Value.Call v -> functionName(v.function())
                    + v.arguments().stream().map(this::of).collect(Collectors.joining(", ", "(", ")"));
            case Value.Compound _, Value.Approximate _ -> {
                String[] parts = new String[value.parts().size()];
                for (int i = 0; i < parts.length; i++) {
                    parts[i] = of(value.parts().get(i), NanBits.ofPart(value, i, nanMatters));
                }
                yield operation(functions, value, nanMatters, parts);
            }
        };
    }

    /** An operation on the texts of its parts. */
    static String operation(ValueFunctions functions, Value value, boolean nanMatters, String... a) {
        return switch (value) {
            case Value.Unary v when Moderate.isReciprocal(v) -> functions.reciprocalOfModerate(a[0]);
            case Value.Unary v -> functions.unary(v.op(), v.type(), a[0], nanMatters);
            case Value.Binary v when v.right() instanceof Value.Const && v.type().isInteger()
                    && (v.op() == BinaryOp.DIV || v.op() == BinaryOp.REM) ->
                    functions.byConstant(v.op(), v.type(), a[0], a[1]);
            case Value.Binary v -> functions.binary(v.op(), v.type(), a[0], a[1], nanMatters);
            case Value.Fma v -> functions.fma(v.type(), a[0], a[1], a[2], nanMatters);
            case Value.Dp4a _ -> "__dp4a(" + String.join(", ", a) + ")";
            case Value.PickBytes v -> "__byte_perm(" + a[0] + ", " + a[1] + ", 0x%04x)".formatted(v.selector());
            case Value.FunnelShift _ -> "__funnelshift_r(" + String.join(", ", a) + ")";
            case Value.Pairwise v -> functions.pairwise(v.op(), v.half(), a[0], a[1]);
            case Value.Compare v -> functions.compare(v.comparison(), v.left().type(), a[0], a[1]);
            case Value.Select v -> functions.select(v.type(), a[0], a[1], a[2], chooses(v));
            case Value.Convert v -> functions.convert(v.conversion(), a[0]);
            case Value.BitCast v -> functions.bitCast(v.value().type(), v.type(), a[0]);
            case Value.Approximate v -> functions.approximate(v.op(), a[0]);
            case Value.Const _, Value.Index _, Value.Scalar _, Value.Element _, Value.Call _ ->
                    throw new AssertionError(value);
        };
    }

    /**
     * Whether a select chooses between the numbers that it compares (a minimum or a maximum), or between one and its
     * negative.
     */
    static boolean chooses(Value.Select v) {
        return v.condition() instanceof Value.Compare c && (c.left().equals(v.yes()) && c.right().equals(v.no())
                || c.left().equals(v.no()) && c.right().equals(v.yes())) || negates(v.yes(), v.no())
                || negates(v.no(), v.yes());
    }

    private static boolean negates(Value one, Value other) {
        return one instanceof Value.Unary u && u.op() == UnaryOp.NEGATE && u.value().equals(other);
    }

    static String functionName(ValueFunction function) {
        return ValueSection.FUNCTIONS + "::" + function.name();
    }

    /** An element of a register, also to assign to. */
    String element(Register register, Expr index) {
        String name = names.of(register);
        return register.count() == 1 ? name : name + "[" + expressions.of(index) + "]";
    }

    /** A pointer to an element of a register, for a function that takes several from there on. */
    String pointer(Register register, Expr first) {
        String name = names.of(register);
        if (register.count() == 1) {
            return "&" + name;
        }
        return first.constant().orElse(-1) == 0 ? name : name + " + " + expressions.summand(first);
    }
}
