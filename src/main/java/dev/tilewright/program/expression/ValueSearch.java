package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import java.util.function.Predicate;

/** Looks for something within values. What a function does with its arguments is not looked into. */
public final class ValueSearch {

    private ValueSearch() { }

    /**
     * Whether the value is, or has within it, one of which this holds; index expressions are looked into for values
     * within them.
     */
    public static boolean any(Value value, Predicate<Value> wanted) {
        NotNull.all("value, wanted", value, wanted);
        return wanted.test(value) || switch (value) {
            case Value.Element(Register _, Expr index) -> any(index, wanted);
            case Value.Index(Expr e) -> any(e, wanted);
            default -> value.parts().stream().anyMatch(part -> any(part, wanted));
        };
    }

    /** Whether an index expression has a value within it of which this holds. */
    public static boolean any(Expr e, Predicate<Value> wanted) {
        NotNull.all("e, wanted", e, wanted);
        return ExprSearch.any(e, part -> part instanceof Expr.OfValue(Value value) && any(value, wanted));
    }
}
