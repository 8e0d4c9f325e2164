package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An index that is a constant plus factors of the numbers of tiles and of turns.
 *
 * @param factors none of them 0, by the number's {@linkplain Expr.Var#number number}
 */
public record AffineIndex(long constant, Map<Integer, Long> factors) {
    public AffineIndex {
        factors = Map.copyOf(NotNull.entries("factors", factors));
    }

    /**
     * The index as such a sum; nothing where it is none, or an extent is not given.
     *
     * @param extents by name
     */
    public static Optional<AffineIndex> of(Expr index, Map<String, Long> extents) {
        Objects.requireNonNull(index, "index");
        NotNull.entries("extents", extents);
        return switch (index) {
            case Expr.Const c -> constant(c.value());
            case Expr.Named named -> constant(named.value().value());
            case Expr.ParamValue p -> Optional.ofNullable(extents.get(p.parameter().name()))
                    .flatMap(AffineIndex::constant);
            case Expr.Var v -> Optional.of(new AffineIndex(0, Map.of(v.number(), 1L)));
            case Expr.Convert c -> of(c.value(), extents);
            case Expr.Binary b -> of(b.left(), extents).flatMap(l -> of(b.right(), extents).flatMap(r -> of(b, l, r)));
            default -> Optional.empty();
        };
    }

    private static Optional<AffineIndex> constant(long value) {
        return Optional.of(new AffineIndex(value, Map.of()));
    }

    private static Optional<AffineIndex> of(Expr.Binary b, AffineIndex l, AffineIndex r) {
        if (l.isConstant() && r.isConstant()) {
            return constant(Arithmetic.apply(b.op(), b.type(), l.constant, r.constant));
        }
        return switch (b.op()) {
            case ADD -> Optional.of(l.plus(r, 1));
            case SUB -> Optional.of(l.plus(r, -1));
            case MUL -> r.isConstant() ? Optional.of(l.times(r.constant))
                    : l.isConstant() ? Optional.of(r.times(l.constant)) : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** Whether it is the same for every tile and turn. */
    public boolean isConstant() {
        return factors.isEmpty();
    }

    private AffineIndex times(long by) {
        return new AffineIndex(0, Map.of()).plus(this, by);
    }

    private AffineIndex plus(AffineIndex other, long times) {
        Map<Integer, Long> sum = new HashMap<>(factors);
        other.factors.forEach((number, factor) -> sum.merge(number, Math.multiplyExact(factor, times), Math::addExact));
        sum.values().removeIf(factor -> factor == 0);
        return new AffineIndex(Math.addExact(constant, Math.multiplyExact(other.constant, times)), sum);
    }
}
