package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.expression.Expr.Binary;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr.Compare;
import dev.tilewright.program.expression.Expr.Convert;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import dev.tilewright.program.expression.Expr.Select;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Typing and folding of index expressions, one rule a test. What folding may never change is in {@link FoldTest}. */
class ExprTest {
    private static final Expr X = new Expr.Var("x", IntType.S32);
    private static final Expr Y = new Expr.Var("y", IntType.S64);
    private static final Expr WIDE_X = new Convert(X, IntType.S64);

    static Stream<UnaryOperator<Expr>> changesNothing() {
        return Stream.of(e -> e.plus(0), e -> e.minus(0), e -> e.times(1), e -> e.dividedBy(1), e -> e.xor(Expr.of(0)),
                e -> e.shiftRight(0), e -> Expr.of(0).plus(e), e -> Expr.of(1).times(e), e -> e.as(e.type()));
    }

    @ParameterizedTest
    @MethodSource("changesNothing")
    void whatChangesNothingIsLeftOut(UnaryOperator<Expr> step) {
        assertSame(X, step.apply(X));
        assertSame(Y, step.apply(Y));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsAlwaysZeroIsZero(Expr folded, Expr zero) {
        assertEquals(zero, folded);
    }

    static Stream<Arguments> whatIsAlwaysZeroIsZero() {
        return Stream.of(Arguments.of(X.times(0), Expr.of(0)), Arguments.of(Y.times(0), Expr.of(0L)),
                Arguments.of(Expr.of(0).times(Y), Expr.of(0L)), Arguments.of(X.modulo(1), Expr.of(0)),
                Arguments.of(Y.bitAnd(0), Expr.of(0L)));
    }

    @Test
    void notEverythingWithAZeroOrAOneFolds() {
        assertEquals(new Binary(Op.SUB, Expr.of(0), X), Expr.of(0).minus(X));
        assertEquals(new Binary(Op.DIV, Expr.of(0), X), Expr.of(0).dividedBy(X));
        assertEquals(new Binary(Op.DIV, Expr.of(1), X), Expr.of(1).dividedBy(X));
        assertEquals(new Binary(Op.MIN, X, Expr.of(0)), X.min(0));
        assertEquals(new Binary(Op.MAX, X, Expr.of(1)), X.max(1));
        assertEquals(new Binary(Op.AND, X, Expr.of(1)), X.bitAnd(1));
        assertEquals(new Binary(Op.DIV, X, Expr.of(0)), X.dividedBy(0));
        assertEquals(new Binary(Op.REM, X, Expr.of(0)), X.modulo(0));
    }

    @Test
    void constantsAreComputed() {
        assertEquals(Expr.of(-3), Expr.of(7).dividedBy(-2));
        assertEquals(Expr.of(1), Expr.of(7).modulo(-2));
        assertEquals(Expr.of(-4), Expr.of(-7).shiftRight(1));
        assertEquals(Expr.of(1L << 40), Expr.of(1L << 20).times(1 << 20));
        assertEquals(Expr.of(5L), Expr.of(5).toS64());
        assertEquals(Expr.of(5), Expr.of(5L).toS32());
    }

    @Test
    void theNarrowerSideIsWidened() {
        assertEquals(new Binary(Op.ADD, WIDE_X, Y), X.plus(Y));
        assertEquals(new Binary(Op.SUB, Y, WIDE_X), Y.minus(X));
        assertEquals(new Binary(Op.MUL, Y, Expr.of(3L)), Y.times(3));
        assertEquals(new Compare(Relation.LT, WIDE_X, Y), X.lessThan(Y));
        assertEquals(new Compare(Relation.GE, Y, Expr.of(3L)), Y.atLeast(3));
        assertEquals(new Compare(Relation.EQ, X, Expr.of(3)), X.isEqualTo(3));
        assertEquals(new Select(X.lessThan(3), WIDE_X, Y), X.lessThan(3).choose(X, Y));
        assertEquals(new Convert(Y, IntType.S32), Y.toS32());
        assertEquals(new Binary(Op.SHR, Y, Expr.of(3L)), Y.shiftRight(3));
    }

    @Test
    void everyTreeKnowsItsType() {
        assertEquals(IntType.S32, Builtin.THREAD.plus(X).type());
        assertEquals(IntType.S64, Builtin.BLOCK.times(Y).type());
        assertEquals(IntType.BOOL, Y.lessThan(X).and(X.isEqualTo(0)).type());
        assertEquals(IntType.S64, X.lessThan(0).choose(X, Y).type());
        assertEquals(IntType.S64, new Parameter.Int("n", IntType.S64).value().type());
        assertEquals(IntType.S32, Y.toS32().type());
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Runnable wrong, String message) {
        assertEquals(message, assertThrows(RuntimeException.class, wrong::run).getMessage());
    }

    static Stream<Arguments> refusals() {
        Expr condition = X.lessThan(1);
        return Stream.of(
                refusal(() -> new Expr.Const(1L << 31, IntType.S32), "2147483648 does not fit 32 bits"),
                refusal(() -> Expr.of(1L << 31).toS32(), "2147483648 does not fit 32 bits"),
                refusal(() -> new Expr.Const(1, IntType.BOOL),
                "there are no truth-value constants: leave the guard out"),
                refusal(() -> new Expr.Var("b", IntType.BOOL),
                "variable 'b' must be an integer: use the condition where it is needed"),
                refusal(() -> new Parameter.Int("b", IntType.BOOL), "parameter 'b' must be an integer"),
                refusal(() -> new Binary(Op.ADD, X, Y), "both sides must be integers of one type, got S32 and S64"),
                refusal(() -> new Binary(Op.ADD, condition, condition),
                "both sides must be integers of one type, got BOOL and BOOL"),
                refusal(() -> new Compare(Relation.LT, Y, X),
                "both sides must be integers of one type, got S64 and S32"),
                refusal(() -> new Select(condition, X, Y), "both sides must be integers of one type, got S32 and S64"),
                refusal(() -> new Select(X, X, X), "a condition is needed, got an integer of type S32"),
                refusal(() -> condition.and(Y), "a condition is needed, got an integer of type S64"),
                refusal(() -> X.and(condition), "a condition is needed, got an integer of type S32"),
                refusal(() -> condition.plus(1), "truth values do not convert to integers"),
                refusal(() -> X.as(IntType.BOOL), "truth values do not convert to integers"),
                refusal(() -> Expr.of(Integer.MAX_VALUE).plus(1), "2147483647 + 1 does not fit a 32-bit index"),
                refusal(() -> Expr.of(1L).dividedBy(0), "1 / 0 divides by zero"),
                refusal(() -> Expr.of(1).shiftRight(32), "1 >> 32 shifts a 32-bit index by 32"));
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }
}
