package dev.tilewright.tile.run;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Dim;
import java.util.List;
import java.util.Map;

/**
 * What index expressions are worth for a tile: extents and scalars are those of the launch, numbers of tiles and of
 * steps change.
 *
 * @param extents by name
 * @param scalars words by name
 * @param variables by their numbers
 */
record Numbers(Map<String, Long> extents, Map<String, Long> scalars, long[] variables) {

    long of(Expr e) {
        return switch (e) {
            case Expr.Const(long value, var _) -> value;
            case Expr.Named named -> named.value().value();
            case Expr.Var v -> variables[v.number()];
            case Expr.ParamValue p -> extents.get(p.parameter().name());
            case Expr.Binary b -> Arithmetic.apply(b.op(), b.type(), of(b.left()), of(b.right()));
            case Expr.Compare c -> {
                int order = Long.compare(of(c.left()), of(c.right()));
                yield switch (c.relation()) {
                    case EQ -> order == 0;
                    case NE -> order != 0;
                    case LT -> order < 0;
                    case GE -> order >= 0;
                    case GT -> order > 0;
                    case LE -> order <= 0;
                } ? 1 : 0;
            }
            case Expr.And a -> of(a.left()) != 0 && of(a.right()) != 0 ? 1 : 0;
            case Expr.Or o -> of(o.left()) != 0 || of(o.right()) != 0 ? 1 : 0;
            case Expr.Not n -> of(n.condition()) == 0 ? 1 : 0;
            case Expr.Select s -> of(s.condition()) != 0 ? of(s.yes()) : of(s.no());
            case Expr.Convert c -> Arithmetic.apply(Expr.Op.ADD, c.type(), of(c.value()), 0);
            default -> throw new IllegalArgumentException("a tile kernel's index expressions are of extents and of "
                    + "numbers of tiles and steps, not of " + e);
        };
    }

    int count(List<Dim> shape) {
        long count = 1;
        for (Dim dim : shape) {
            count = Math.multiplyExact(count, of(dim.value()));
        }
        return Math.toIntExact(count);
    }

    int[] extents(List<Dim> shape) {
        return shape.stream().mapToInt(dim -> Math.toIntExact(of(dim.value()))).toArray();
    }

    /** The word of a value that is the same at all elements. */
    long word(Value value) {
        return switch (value) {
            case Value.Const c -> c.word();
            case Value.Index(Expr e) -> of(e);
            case Value.Scalar s -> scalars.get(s.parameter().name());
            default -> throw new IllegalArgumentException("a constant, a scalar or an index expression is wanted, got "
                    + value);
        };
    }
}
