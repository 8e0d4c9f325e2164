package dev.tilewright.tile.lower.layout;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import java.util.Objects;

/** Whether places are within an extent. */
public final class Bounds {
    private Bounds() { }

    /** Whether a place is one of a dimension's. @param extent of the dimension */
    public static Expr within(Expr place, Expr extent) {
        NotNull.all("place, extent", place, extent);
        return place.atLeast(0).and(place.lessThan(extent));
    }

    /** Whether it is, and something else holds. @param inside that, or null where there is nothing else */
    public static Expr within(Expr inside, Expr place, Expr extent) {
        Expr within = within(place, extent);
        return inside == null ? within : inside.and(within);
    }

    /** Whether a place that may be below zero is not. @param inside what else holds */
    public static Expr notBelow(Expr inside, Expr start, Expr place) {
        NotNull.all("inside, start, place", inside, start, place);
        return isNatural(start) ? inside : inside.and(place.atLeast(0));
    }

    /** Whether a place is never below zero, as it is made of numbers of tiles and turns, and of extents. */
    public static boolean isNatural(Expr place) {
        Objects.requireNonNull(place, "place");
        return switch (place) {
            case Expr.Const number -> number.value() >= 0;
            case Expr.Var _, Expr.ParamValue _ -> true;
            case Expr.Convert convert -> isNatural(convert.value());
            case Expr.Binary b -> b.op() != Expr.Op.SUB && isNatural(b.left()) && isNatural(b.right());
            default -> false;
        };
    }
}
