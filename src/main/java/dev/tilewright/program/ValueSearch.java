package dev.tilewright.program;

import java.util.Objects;
import java.util.function.Predicate;

/** Looks for something within values. What a function does with its arguments is not looked into. */
public final class ValueSearch {

    private ValueSearch() {
    }

    /**
     * Whether the value is, or has within it, one of which this holds; index expressions are looked into for values
     * within them.
     */
    public static boolean any(Value value, Predicate<Value> wanted) {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(wanted, "wanted");
        return wanted.test(value) || switch (value) {
            case Value.Const _, Value.Scalar _ -> false;
            case Value.Element(Register _, Expr index) -> any(index, wanted);
            case Value.Index(Expr e) -> any(e, wanted);
            case Value.Unary v -> any(v.value(), wanted);
            case Value.Binary v -> any(v.left(), wanted) || any(v.right(), wanted);
            case Value.Fma v -> any(v.a(), wanted) || any(v.b(), wanted) || any(v.c(), wanted);
            case Value.Compare v -> any(v.left(), wanted) || any(v.right(), wanted);
            case Value.Select v -> any(v.condition(), wanted) || any(v.yes(), wanted) || any(v.no(), wanted);
            case Value.Convert v -> any(v.value(), wanted);
            case Value.BitCast v -> any(v.value(), wanted);
            case Value.Approximate v -> any(v.value(), wanted);
            case Value.Call v -> v.arguments().stream().anyMatch(a -> any(a, wanted));
        };
    }

    /** Whether an index expression has a value within it of which this holds. */
    public static boolean any(Expr e, Predicate<Value> wanted) {
        Objects.requireNonNull(e, "e");
        Objects.requireNonNull(wanted, "wanted");
        return ExprSearch.any(e, part -> part instanceof Expr.OfValue(Value value) && any(value, wanted));
    }
}
