package dev.tilewright.tile.lower.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The power of two that is said to divide a drawn index divides it, whatever its variables and extents are. */
class MultiplesTest {
    private static final Expr TURN = new Expr.Var("turn", IntType.S64, 0);
    private static final Expr EXTENT = new Parameter.Int("n", IntType.S64).value();

    @Test
    void whatIsKnown() {
        assertEquals(6, Multiples.exponent(TURN.times(Expr.of(64L))));
        assertEquals(3, Multiples.exponent(TURN.times(Expr.of(64L)).plus(Expr.of(8L))));
        assertEquals(0, Multiples.exponent(TURN.times(Expr.of(64L)).plus(EXTENT)));
        assertEquals(5, Multiples.exponent(TURN.times(Expr.of(64L)).dividedBy(Expr.of(2L))));
        assertEquals(4, Multiples.exponent(EXTENT.dividedBy(Expr.of(32L)).times(Expr.of(16L)).min(TURN.times(
                Expr.of(32L)))));
        assertEquals(3, Multiples.exponent(TURN.times(Expr.of(64L)).modulo(Expr.of(24L))));
    }

    @Test
    void divides() {
        SplittableRandom random = new SplittableRandom(16);
        int known = 0;
        for (int i = 0; i < 20_000; i++) {
            Expr index = draw(random, 4);
            int exponent = Multiples.exponent(index);
            known += exponent > 1 ? 1 : 0;
            for (int j = 0; j < 8; j++) {
                long turn = random.nextInt(100);
                long extent = random.nextInt(1000);
                try {
                    long value = value(index, turn, extent);
                    assertEquals(0, value & (1L << exponent) - 1, () -> index + " of " + turn + ", " + extent);
                } catch (ArithmeticException _) {
                    // An index that has no value.
                }
            }
        }
        int all = known;
        assertTrue(all > 1000, () -> "only " + all + " are known to be multiples of 4");
    }

    private static Expr draw(SplittableRandom random, int depth) {
        if (depth == 0 || random.nextInt(6) == 0) {
            return Expr.list(TURN, EXTENT, (long) random.nextInt(-3, 4), (long) random.nextInt(64),
                    1L << random.nextInt(7), -(1L << random.nextInt(7))).get(random.nextInt(6));
        }
        Expr a = draw(random, depth - 1);
        Expr drawn = draw(random, depth - 1);
        Expr b = drawn.constant().orElse(1) == 0 ? EXTENT : drawn;
        return switch (random.nextInt(10)) {
            case 0 -> a.plus(b);
            case 1 -> a.minus(b);
            case 2 -> a.min(b);
            case 3 -> a.max(b);
            case 4 -> a.dividedBy(b);
            case 5 -> a.modulo(b);
            case 6 -> a.bitAnd(b);
            case 7 -> a.bitOr(b);
            case 8 -> a.lessThan(b).choose(a, b);
            default -> a.times(b);
        };
    }

    private static long value(Expr e, long turn, long extent) {
        return switch (e) {
            case Expr.Const number -> number.value();
            case Expr.Var _ -> turn;
            case Expr.ParamValue _ -> extent;
            case Expr.Binary b -> Arithmetic.apply(b.op(), b.type(), value(b.left(), turn, extent), value(b.right(),
                    turn, extent));
            case Expr.Select s -> {
                Expr.Compare less = (Expr.Compare) s.condition();
                boolean is = value(less.left(), turn, extent) < value(less.right(), turn, extent);
                yield value(is ? s.yes() : s.no(), turn, extent);
            }
            default -> throw new AssertionError(e);
        };
    }
}
