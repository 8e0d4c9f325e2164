package dev.tilewright.tile.lower.analysis;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import java.util.Map;

/** Replaces a kernel's numbers by the program's own: numbers of tiles and turns, and extents that are known. */
public record Indexes(Map<Integer, Expr> variables, Map<String, Long> known) {

    /** An index expression with the numbers replaced. */
    public Expr of(Expr e) {
        return switch (e) {
            case Expr.Const _, Expr.Named _ -> e;
            case Expr.Var v -> variables.get(v.number());
            case Expr.ParamValue p -> known.containsKey(p.parameter().name())
                    ? Expr.of(known.get(p.parameter().name()).longValue()) : e;
            case Expr.Binary b -> switch (b.op()) {
                case ADD -> of(b.left()).plus(of(b.right()));
                case SUB -> of(b.left()).minus(of(b.right()));
                case MUL -> of(b.left()).times(of(b.right()));
                case DIV -> of(b.left()).dividedBy(of(b.right()));
                case REM -> of(b.left()).modulo(of(b.right()));
                case MIN -> of(b.left()).min(of(b.right()));
                case MAX -> of(b.left()).max(of(b.right()));
                case AND -> of(b.left()).bitAnd(of(b.right()));
                case OR -> of(b.left()).bitOr(of(b.right()));
                case XOR -> of(b.left()).xor(of(b.right()));
                case SHL -> of(b.left()).shiftLeft(bits(b));
                case SHR -> of(b.left()).shiftRight(bits(b));
            };
            case Expr.Compare c -> switch (c.relation()) {
                case EQ -> of(c.left()).isEqualTo(of(c.right()));
                case NE -> of(c.left()).isNotEqualTo(of(c.right()));
                case LT -> of(c.left()).lessThan(of(c.right()));
                case GE -> of(c.left()).atLeast(of(c.right()));
                case GT -> of(c.left()).greaterThan(of(c.right()));
                case LE -> of(c.left()).atMost(of(c.right()));
            };
            case Expr.And a -> of(a.left()).and(of(a.right()));
            case Expr.Or o -> of(o.left()).or(of(o.right()));
            case Expr.Not n -> of(n.condition()).not();
            case Expr.Select s -> of(s.condition()).choose(of(s.yes()), of(s.no()));
            case Expr.Convert c -> of(c.value()).as(c.type());
            default -> throw new IllegalArgumentException("a tile kernel's index expressions are of extents and of "
                    + "numbers of tiles and steps, not of " + e);
        };
    }

    /** By how many an index is shifted, which its methods take as a constant. */
    private static int bits(Expr.Binary shift) {
        return Math.toIntExact(shift.right().constant().orElseThrow());
    }

    /** A value with its index expressions replaced. */
    public Value of(Value value) {
        return value instanceof Value.Index(Expr e) ? Value.of(of(e)) : value;
    }
}
