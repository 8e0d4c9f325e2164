package dev.tilewright.verify.draw;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * A small number that a thread computes of its own number, its block's and variables: as an expression, and directly.
 *
 * @param text asked when the program is written: a variable is known by then
 */
record RoleNumber(Supplier<Expr> text, ToIntFunction<RoleThread> value) {
    private static final int MOST = 40;

    /** A condition on such numbers. */
    record Condition(Supplier<Expr> text, Predicate<RoleThread> holds) {
        Condition and(Condition other) {
            return new Condition(() -> text.get().and(other.text.get()), t -> holds.test(t) && other.holds.test(t));
        }

        Condition or(Condition other) {
            return new Condition(() -> text.get().or(other.text.get()), t -> holds.test(t) || other.holds.test(t));
        }

        Condition not() {
            return new Condition(() -> text.get().not(), t -> !holds.test(t));
        }

        RoleNumber choose(RoleNumber yes, RoleNumber no) {
            return new RoleNumber(() -> text.get().choose(yes.text.get(), no.text.get()),
                    t -> (holds.test(t) ? yes : no).value.applyAsInt(t));
        }
    }

    static final RoleNumber THREAD = new RoleNumber(() -> Builtin.THREAD, t -> t.number);
    static final RoleNumber BLOCK = new RoleNumber(() -> Builtin.BLOCK, t -> t.block);

    static RoleNumber of(int number) {
        return new RoleNumber(() -> Expr.of(number), _ -> number);
    }

    private interface ExprOperator {
        Expr apply(Expr a, Expr b);
    }

    private RoleNumber with(RoleNumber other, ExprOperator expr, IntBinaryOperator direct) {
        return new RoleNumber(() -> expr.apply(text.get(), other.text.get()),
                t -> direct.applyAsInt(value.applyAsInt(t), other.value.applyAsInt(t)));
    }

    RoleNumber plus(RoleNumber other) {
        return with(other, Expr::plus, Integer::sum);
    }

    RoleNumber modulo(int by) {
        return with(of(by), Expr::modulo, (a, b) -> a % b);
    }

    RoleNumber bitAnd(int mask) {
        return with(of(mask), Expr::bitAnd, (a, b) -> a & b);
    }

    Condition is(int relation, RoleNumber other) {
        return switch (relation) {
            case 0 -> asks(other, Expr::lessThan, (a, b) -> a < b ? 1 : 0);
            case 1 -> asks(other, Expr::atLeast, (a, b) -> a >= b ? 1 : 0);
            case 2 -> asks(other, Expr::greaterThan, (a, b) -> a > b ? 1 : 0);
            case 3 -> asks(other, Expr::atMost, (a, b) -> a <= b ? 1 : 0);
            case 4 -> asks(other, Expr::isEqualTo, (a, b) -> a == b ? 1 : 0);
            default -> asks(other, Expr::isNotEqualTo, (a, b) -> a != b ? 1 : 0);
        };
    }

    Condition isEqualTo(int number) {
        return is(4, of(number));
    }

    private Condition asks(RoleNumber other, ExprOperator expr, IntBinaryOperator direct) {
        RoleNumber answer = with(other, expr, direct);
        return new Condition(answer.text, t -> answer.value.applyAsInt(t) != 0);
    }

    /** A comparison of two numbers in one block, and in others of the same two the other way round. */
    private static Condition mirrored(DrawnChoices choices, RoleNumber a, RoleNumber b) {
        Condition first = BLOCK.isEqualTo(choices.below(2));
        return first.choose(a, b).is(choices.below(6), first.choose(b, a));
    }

    // ---- drawing

    /** @param variables that may be in it @param depth of operators within operators */
    static RoleNumber draw(DrawnChoices choices, List<RoleNumber> variables, int depth) {
        if (depth == 0 || choices.oneIn(3)) {
            return switch (choices.below(6)) {
                case 0, 1 -> THREAD;
                case 2 -> of(choices.below(MOST));
                case 3 -> BLOCK;
                default -> variables.isEmpty() ? THREAD : choices.one(variables);
            };
        }
        RoleNumber a = draw(choices, variables, depth - 1);
        return switch (choices.below(10)) {
            case 0 -> a.plus(draw(choices, variables, depth - 1));
            case 1 -> a.with(draw(choices, variables, depth - 1), Expr::minus, (x, y) -> x - y);
            case 2 -> a.with(of(choices.between(1, 3)), Expr::times, (x, y) -> x * y);
            case 3 -> a.modulo(choices.between(1, 9));
            case 4 -> a.with(of(choices.between(1, 9)), Expr::dividedBy, (x, y) -> x / y);
            case 5 -> a.bitAnd(choices.below(32));
            case 6 -> a.with(of(choices.below(32)), Expr::xor, (x, y) -> x ^ y);
            case 7 -> a.with(draw(choices, variables, depth - 1), Expr::min, Math::min);
            case 8 -> a.with(draw(choices, variables, depth - 1), Expr::max, Math::max);
            // A shape in one block and a number in the next.
            default -> (choices.flag() ? BLOCK.isEqualTo(choices.below(3)) : condition(choices, variables, 0))
                    .choose(a, draw(choices, variables, depth - 1));
        };
    }

    /** @param depth of connectives within connectives */
    static Condition condition(DrawnChoices choices, List<RoleNumber> variables, int depth) {
        if (depth > 0 && choices.oneIn(3)) {
            Condition a = condition(choices, variables, depth - 1);
            return switch (choices.below(3)) {
                case 0 -> a.and(condition(choices, variables, depth - 1));
                case 1 -> a.or(condition(choices, variables, depth - 1));
                default -> a.not();
            };
        }
        return switch (choices.below(7)) {
            case 0 -> THREAD.is(choices.below(6), of(choices.below(MOST)));
            case 1 -> of(choices.below(MOST)).is(choices.below(6), THREAD);
            case 2 -> THREAD.modulo(choices.between(2, 8)).is(choices.below(6), of(choices.below(4)));
            case 3, 4 -> mirrored(choices, draw(choices, List.of(), 1), of(choices.below(MOST / 3)));
            default -> draw(choices, variables, 2).is(choices.below(6), draw(choices, variables, 2));
        };
    }
}
