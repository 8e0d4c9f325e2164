package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import java.util.function.Predicate;

/** Looks for something within expressions. */
public final class ExprSearch {

    private ExprSearch() { }

    /** Whether the expression is, or has within it, one of which this holds. */
    public static boolean any(Expr e, Predicate<Expr> wanted) {
        NotNull.all("e, wanted", e, wanted);
        return wanted.test(e) || switch (e) {
            case Expr.Const _, Expr.Named _, Expr.Builtin _, Expr.Var _, Expr.ParamValue _, Expr.DeviceAddress _,
                    Expr.SharedAddress _ -> false;
            case Expr.Binary b -> any(b.left(), wanted) || any(b.right(), wanted);
            case Expr.Compare c -> any(c.left(), wanted) || any(c.right(), wanted);
            case Expr.And b -> any(b.left(), wanted) || any(b.right(), wanted);
            case Expr.Select s -> any(s.condition(), wanted) || any(s.yes(), wanted) || any(s.no(), wanted);
            case Expr.Or b -> any(b.left(), wanted) || any(b.right(), wanted);
            case Expr.Not n -> any(n.condition(), wanted);
            case Expr.Convert c -> any(c.value(), wanted);
            case Expr.OfValue v -> any(v.value(), wanted);
        };
    }

    /** Whether an index expression within the value is one, or has one within it, of which this holds. */
    public static boolean any(Value value, Predicate<Expr> wanted) {
        NotNull.all("value, wanted", value, wanted);
        return ValueSearch.any(value, v -> switch (v) {
            case Value.Index(Expr e) -> any(e, wanted);
            case Value.Element(Register _, Expr index) -> any(index, wanted);
            default -> false;
        });
    }
}
