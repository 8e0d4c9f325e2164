package dev.tilewright.program;

import java.util.Objects;
import java.util.function.Predicate;

/** Looks for something within expressions. */
public final class ExprSearch {

    private ExprSearch() {
    }

    /** Whether the expression is, or has within it, one of which this holds. */
    public static boolean any(Expr e, Predicate<Expr> wanted) {
        Objects.requireNonNull(e, "e");
        Objects.requireNonNull(wanted, "wanted");
        return wanted.test(e) || switch (e) {
            case Expr.Const _, Expr.Named _, Expr.Builtin _, Expr.Var _, Expr.ParamValue _, Expr.DeviceAddress _ ->
                    false;
            case Expr.Binary b -> any(b.left(), wanted) || any(b.right(), wanted);
            case Expr.Compare c -> any(c.left(), wanted) || any(c.right(), wanted);
            case Expr.And b -> any(b.left(), wanted) || any(b.right(), wanted);
            case Expr.Select s -> any(s.condition(), wanted) || any(s.yes(), wanted) || any(s.no(), wanted);
            case Expr.Convert c -> any(c.value(), wanted);
        };
    }
}
