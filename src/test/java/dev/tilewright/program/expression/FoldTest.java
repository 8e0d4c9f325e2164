package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Folding never changes a value: random recipes, followed with the folding methods and without. */
class FoldTest {
    private static final Expr.Var X = new Expr.Var("x", IntType.S32);
    private static final Expr.Var Y = new Expr.Var("y", IntType.S64);

    /** How to build an expression. A leaf has no parts. */
    record Recipe(Expr leaf, Op op, List<Recipe> parts) {
        @Override
        public String toString() {
            return parts.isEmpty() ? leaf.toString() : op + parts.toString();
        }
    }

    @Property(tries = 1250, edgeCases = EdgeCasesMode.NONE)
    void aFoldedExpressionHasTheValueOfTheFullOne(@ForAll("recipes") Recipe recipe, @ForAll int x,
            @ForAll("wide") long y) {
        Expr full = plain(recipe);
        Map<Expr.Var, Long> values = Map.of(X, (long) x, Y, y);
        Optional<Long> expected = valueIfAny(full, values);
        Assume.that(expected.isPresent());
        Expr folded = folded(recipe);
        assertEquals(full.type(), folded.type());
        assertEquals(expected.get(), value(folded, values), () -> full + " folded to " + folded);
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void nothingConstantIsLeftToCompute(@ForAll("recipes") Recipe recipe) {
        Expr folded;
        try {
            folded = folded(recipe);
        } catch (ArithmeticException e) {
            return; // A constant part of it has no value: refused, as ExprTest shows.
        }
        assertFolded(folded);
    }

    private static Optional<Long> valueIfAny(Expr e, Map<Expr.Var, Long> values) {
        try {
            return Optional.of(value(e, values));
        } catch (ArithmeticException noValue) {
            return Optional.empty();
        }
    }

    private static void assertFolded(Expr e) {
        switch (e) {
            case Expr.Binary b -> {
                assertFalse(b.left() instanceof Expr.Const && b.right() instanceof Expr.Const, b::toString);
                assertFolded(b.left());
                assertFolded(b.right());
            }
            case Expr.Convert c -> {
                assertFalse(c.value() instanceof Expr.Const || c.type() == c.value().type(), c::toString);
                assertFolded(c.value());
            }
            default -> { }
        }
    }

    private static Expr folded(Recipe r) {
        return r.parts().isEmpty() ? r.leaf() : Fold.binary(r.op(), folded(r.parts().getFirst()),
                folded(r.parts().getLast()));
    }

    private static Expr plain(Recipe r) {
        if (r.parts().isEmpty()) {
            return r.leaf();
        }
        Expr a = plain(r.parts().getFirst());
        Expr b = plain(r.parts().getLast());
        boolean wide = a.type() == IntType.S64 || b.type() == IntType.S64;
        return new Expr.Binary(r.op(), wide ? widened(a) : a, wide ? widened(b) : b);
    }

    private static Expr widened(Expr e) {
        return e.type() == IntType.S64 ? e : new Expr.Convert(e, IntType.S64);
    }

    private static long value(Expr e, Map<Expr.Var, Long> values) {
        return switch (e) {
            case Expr.Const c -> c.value();
            case Expr.Var v -> values.get(v);
            case Expr.Binary b -> Arithmetic.apply(b.op(), b.type(), value(b.left(), values), value(b.right(), values));
            case Expr.Convert c -> Arithmetic.fit(c.type(), value(c.value(), values));
            default -> throw new AssertionError(e);
        };
    }

    @Provide
    Arbitrary<Long> wide() {
        return Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(-100, 100));
    }

    @Provide
    Arbitrary<Recipe> recipes() {
        return recipes(3);
    }

    private static Arbitrary<Recipe> recipes(int depth) {
        Arbitrary<Recipe> leaf = Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.of(X, Y)),
                Tuple.of(2, Arbitraries.of(0, 1, -1, 2, 7, 31).map(Expr::of)),
                Tuple.of(1, Arbitraries.of(0L, 1L, -1L, 3L, 1L << 33).map(Expr::of)))
                .map(e -> new Recipe(e, null, List.of()));
        return depth == 0 ? leaf : Arbitraries.oneOf(leaf, Combinators.combine(Arbitraries.of(Op.values()),
                recipes(depth - 1), recipes(depth - 1)).as((op, a, b) -> new Recipe(null, op, List.of(a, b))));
    }

    @Property
    void comparisonsKeepBothSides(@ForAll Relation relation, @ForAll int a, @ForAll int b) {
        assertEquals(new Expr.Compare(relation, Expr.of(a), Expr.of(b)),
                Fold.compare(relation, Expr.of(a), Expr.of(b)));
    }
}
