package dev.tilewright.tile.lower.analysis;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueRewrite;
import dev.tilewright.program.function.Shortcuts;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A function of elements by fewer operations, with the same bits, where conditions hold that most numbers meet.
 *
 * @param conditions all of which must hold; empty where there is nothing quicker
 */
public record Quick(List<Value> conditions, Value value) {
    /**
     * What is known of a function's values.
     *
     * @param divisors by values that are the same for all of a thread's elements
     * @param moderate by values what says that they are between 2^-60 and 2^60
     */
    public record Known(Map<Value, Divisor> divisors, Map<Value, Value> moderate) {
        /** Nothing is known. */
        public static final Known NOTHING = new Known(Map.of(), Map.of());
    }

    /** Of any function. @param let names what is used several times */
    public static Quick of(Value value, Known known, UnaryOperator<Value> let) {
        List<Value> conditions = new ArrayList<>();
        return new Quick(conditions, rewritten(value, known, let, conditions));
    }

    /** Fewer operations of a call, under a condition by which its value is between 2^-60 and 2^60. */
    public static Optional<Quick> moderate(Value value, UnaryOperator<Value> let) {
        return value instanceof Value.Call(var function, var arguments, var _) ? Shortcuts.of(new Value.Call(function,
                arguments.stream().map(let).toList())).map(shortcut -> new Quick(List.of(shortcut.moderate()),
                        shortcut.value())) : Optional.empty();
    }

    private static Value rewritten(Value value, Known known, UnaryOperator<Value> let, List<Value> conditions) {
        return ValueRewrite.of(value, part -> switch (part) {
            case Value.Call call -> {
                Value.Call inner = new Value.Call(call.function(), call.arguments().stream()
                        .map(argument -> let.apply(rewritten(argument, known, let, conditions)))
                        .toList());
                yield Optional.of(Shortcuts.of(inner).map(shortcut -> {
                    conditions.add(shortcut.condition());
                    return shortcut.value();
                }).orElse(inner));
            }
            case Value.Binary(BinaryOp op, Value left, Value right, var _, var _)
                    when op == BinaryOp.DIV && known.divisors.containsKey(right) -> {
                Divisor divisor = known.divisors.get(right);
                Value dividend = let.apply(rewritten(left, known, let, conditions));
                conditions.add(known.moderate.containsKey(dividend) ? divisor.allowsAll().and(known.moderate
                        .get(dividend)) : divisor.allows(dividend));
                yield Optional.of(divisor.of(dividend, let));
            }
            default -> Optional.empty();
        });
    }

    /**
     * A number of f32 by which many are divided. Its inverse in two parts makes the quotient to less than a last place;
     * the exact remainder then gives the rounded one (Markstein's theorem: the first part is the rounded inverse). None
     * of it under- or overflows where both are between 2^-60 and 2^60.
     *
     * @param negated the number with the other sign
     * @param inverse of the number, rounded
     * @param rest what the inverse lacks
     * @param range how many squares of dividends there may be, as bits, from the least on: none where the number itself
     *     is very large or small
     */
    public record Divisor(Value negated, Value inverse, Value rest, Value range) {
        private static final int LEAST = Float.floatToRawIntBits(0x1p-120f);
        private static final int GREATEST = Float.floatToRawIntBits(0x1p120f);

        /** Computes what divisions by a number take. */
        public static Divisor of(Body body, Value number) {
            Value one = Value.f32(1);
            Value inverse = body.let("inverse", one.dividedBy(number));
            Value all = Value.u32(GREATEST - LEAST);
            Value negated = body.let("negated", number.negate());
            return new Divisor(negated, inverse, body.let("rest", inverse.fma(negated, one).times(inverse)),
                    body.let("range", isWithin(number, all).choose(all, Value.u32(0))));
        }

        /** Of the square: one comparison for both signs and both ends. */
        private static Value isWithin(Value x, Value range) {
            return x.times(x).bitCast(ValueType.U32).minus(Value.u32(LEAST)).lessThan(range);
        }

        Value allows(Value dividend) {
            return isWithin(dividend, range);
        }

        /** All dividends between 2^-60 and 2^60. */
        Value allowsAll() {
            return range.isNotEqualTo(Value.u32(0));
        }

        Value of(Value dividend, UnaryOperator<Value> let) {
            Value quotient = let.apply(dividend.fma(inverse, dividend.times(rest)));
            return quotient.fma(negated, dividend).fma(inverse, quotient);
        }
    }
}
