package dev.tilewright.emit;

import static dev.tilewright.emit.RandomExprs.N;
import static dev.tilewright.emit.RandomExprs.SIZE;
import static dev.tilewright.emit.RandomExprs.X;
import static dev.tilewright.emit.RandomExprs.Y;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.emit.CEvaluator.Type;
import dev.tilewright.emit.CEvaluator.Value;
import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr.Binary;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import java.math.BigInteger;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Printed expressions mean what their trees mean: any tree, printed and then read as C++ by {@link CEvaluator}, has the
 * tree's value and type, and is undefined exactly where the tree has no value. A parenthesis too few is found here.
 */
class ExprTextTest {
    private static final ExprText TEXT = new ExprText(names());

    private static NameScope names() {
        NameScope names = new NameScope();
        names.define(X, "x");
        names.define(Y, "y");
        names.define(N, "n");
        names.define(SIZE, "size");
        return names;
    }

    private static String text(Expr e) {
        return TEXT.of(e);
    }

    /** Values of the leaves in one evaluation: mostly small, so that most expressions have a value. */
    record Values(int thread, int block, int grid, int n, int x, long size, long y) {
        static Values draw(SplittableRandom random) {
            return new Values(random.nextInt(1024), random.nextInt(1 << 20), random.nextInt(1, Integer.MAX_VALUE),
                    (int) number(random), (int) number(random), number(random), number(random));
        }

        private static long number(SplittableRandom random) {
            return random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(-9, 70);
        }

        Map<String, Value> names() {
            return Map.ofEntries(CEvaluator.unsigned("threadIdx.x", thread), CEvaluator.unsigned("blockIdx.x", block),
                    CEvaluator.unsigned("gridDim.x", grid), Map.entry("n", value(Type.INT, n)),
                    Map.entry("x", value(Type.INT, x)), Map.entry("size", value(Type.LONG_LONG, size)),
                    Map.entry("y", value(Type.LONG_LONG, y)));
        }
    }

    private static Value value(Type type, long number) {
        return new Value(type, BigInteger.valueOf(number));
    }

    @Property(tries = 7_500, shrinking = ShrinkingMode.OFF)
    void theTextHasTheValueOfTheTree(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Expr e = new RandomExprs(random).any();
        Values values = Values.draw(random);
        String text = text(e);
        OptionalLong expected = valueIfAny(e, values);
        if (expected.isPresent()) {
            assertEquals(value(type(e), expected.getAsLong()), CEvaluator.evaluate(text, values.names()), text);
        } else {
            assertThrows(ArithmeticException.class, () -> CEvaluator.evaluate(text, values.names()), text);
        }
    }

    @Property(tries = 1_250, shrinking = ShrinkingMode.OFF)
    void aSummandNeedsNoParentheses(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Expr e = new RandomExprs(random).number(3);
        Values values = Values.draw(random);
        OptionalLong alone = valueIfAny(e, values);
        String sum = "1000LL + " + TEXT.summand(e);
        // Without parentheses the sum starts from the left: numbers next to the largest of all may overflow on the way.
        boolean large = sum.matches(".*\\d{15}.*") || Math.max(Math.abs(values.size), Math.abs(values.y)) > 1L << 48;
        if (alone.isPresent() && !large) {
            assertEquals(value(Type.LONG_LONG, 1000 + alone.getAsLong()), CEvaluator.evaluate(sum, values.names()),
                    sum);
        }
    }

    @ParameterizedTest
    @MethodSource
    void examples(String text, Expr e) {
        assertEquals(text, text(e));
    }

    static Stream<Arguments> examples() {
        Expr condition = X.lessThan(N.value());
        return Stream.of(
                Arguments.of("(int)blockIdx.x * n + x", Builtin.BLOCK.times(N.value()).plus(X)),
                Arguments.of("(x + n) * 16", X.plus(N.value()).times(16)),
                Arguments.of("x - (n - 1)", X.minus(N.value().minus(1))),
                Arguments.of("x - n - 1", X.minus(N.value()).minus(1)),
                Arguments.of("x + (n + 1)", X.plus(N.value().plus(1))),
                Arguments.of("x / (n * 2)", X.dividedBy(N.value().times(2))),
                Arguments.of("x / n % 2", X.dividedBy(N.value()).modulo(2)),
                Arguments.of("x % (n / 2)", X.modulo(N.value().dividedBy(2))),
                Arguments.of("(long long)x * 16384LL + y", X.toS64().times(16384).plus(Y)),
                Arguments.of("(long long)(x * 16384)", X.times(16384).toS64()),
                Arguments.of("(int)min(size - y, 16LL)", SIZE.value().minus(Y).min(16).toS32()),
                Arguments.of("min(x + 1, 3)", X.plus(1).min(3)),
                Arguments.of("x ^ ((x >> 3) & 112)", X.xor(X.shiftRight(3).bitAnd(112))),
                Arguments.of("x * 16 + (x & 3)", X.times(16).plus(X.bitAnd(3))),
                Arguments.of("x < n && n >= 3", condition.and(N.value().atLeast(3))),
                Arguments.of("(x & 1) == 0", X.bitAnd(1).isEqualTo(0)),
                Arguments.of("(x + 1) & 3", X.plus(1).bitAnd(3)),
                Arguments.of("x < n ? x + 1 : 0", condition.choose(X.plus(1), Expr.of(0))),
                Arguments.of("(x < n ? x : 0) * 4", condition.choose(X, Expr.of(0)).times(4)),
                Arguments.of("x < n ? x : x == 0 ? 1 : 2",
                condition.choose(X, X.isEqualTo(0).choose(1, 2))),
                Arguments.of("x + (-3)", X.plus(-3)), Arguments.of("-3", Expr.of(-3)),
                Arguments.of("(-2147483647 - 1)", Expr.of(Integer.MIN_VALUE)),
                Arguments.of("-2147483648LL", Expr.of((long) Integer.MIN_VALUE)),
                Arguments.of("(-9223372036854775807LL - 1)", Expr.of(Long.MIN_VALUE)));
    }

    private static Type type(Expr e) {
        return switch (e.type()) {
            case S32 -> Type.INT;
            case S64 -> Type.LONG_LONG;
            case BOOL -> Type.BOOL;
        };
    }

    private static OptionalLong valueIfAny(Expr e, Values v) {
        try {
            return OptionalLong.of(value(e, v));
        } catch (ArithmeticException noValue) {
            return OptionalLong.empty();
        }
    }

    private static long value(Expr e, Values v) {
        return switch (e) {
            case Expr.Const c -> c.value();
            case Expr.Named n -> n.value().value();
            case Builtin b -> b == Builtin.THREAD ? v.thread() : b == Builtin.BLOCK ? v.block() : v.grid();
            case Expr.Var x -> x.equals(X) ? v.x() : v.y();
            case Expr.ParamValue p -> p.parameter().equals(N) ? v.n() : v.size();
            case Expr.DeviceAddress _, Expr.SharedAddress _ ->
                    throw new AssertionError("no expression here has an address");
            case Binary b -> Arithmetic.apply(b.op(), b.type(), value(b.left(), v), value(b.right(), v));
            case Expr.Compare c -> Arithmetic.test(c.relation(), value(c.left(), v), value(c.right(), v)) ? 1 : 0;
            case Expr.And b -> value(b.left(), v) != 0 && value(b.right(), v) != 0 ? 1 : 0;
            case Expr.Or b -> value(b.left(), v) != 0 || value(b.right(), v) != 0 ? 1 : 0;
            case Expr.Not n -> 1 - value(n.condition(), v);
            case Expr.OfValue _ -> throw new AssertionError("no expression here has a value within it");
            case Expr.Select s -> value(s.condition(), v) != 0 ? value(s.yes(), v) : value(s.no(), v);
            case Expr.Convert c -> Arithmetic.fit(c.type(), value(c.value(), v));
        };
    }
}
