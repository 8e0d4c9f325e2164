package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** Functions of elements that a draw may take, by types. */
final class ElementWords {
    private static final List<UnaryOperator<Value>> OF_REALS = List.of(Value::exp, Value::log, Value::rsqrt);
    private static final List<UnaryOperator<Value>> OF_F32 = List.of(Value::exp2, Value::expm1, Value::log2,
            Value::log10, Value::tanh, Value::erf, Value::sigmoid, Value::silu, Value::gelu, Value::geluTanh,
            Value::sin, Value::cos, x -> x.plus(3072).exp2Fixed(), x -> x.abs().pow(1.5), x -> x.abs().pow(x.plus(2)),
            x -> x.bitCast(ValueType.U32).shiftLeft(1).bitCast(ValueType.F32));
    private static final List<UnaryOperator<Value>> OF_FLOATS = List.of(Value::abs, Value::negate, Value::sqrt,
            Value::reciprocal, Value::floor, Value::ceil, Value::truncate, Value::roundEven, x -> x.min(3),
            x -> x.max(-2.5), x -> x.lessThan(1).or(x.isEqualTo(3)).choose(x.times(2), x.minus(3)),
            x -> x.greaterThan(0.5).or(x.atMost(-2)).choose(x, x.plus(1)), x -> x.dividedBy(3),
            x -> x.clamp(-1, 2), x -> x.isNan().choose(Value.of(x.type(), 1), x));
    private static final List<UnaryOperator<Value>> OF_INTEGERS = List.of(Value::negate, Value::not, Value::countOnes,
            x -> x.shiftLeft(3), x -> x.shiftRight(2), x -> x.dividedBy(7), x -> x.min(3), x -> x.max(2),
            x -> x.atLeast(2).and(x.isNotEqualTo(7)).choose(x.remainder(Value.of(x.type(), 5)), x));
    private static final List<UnaryOperator<Value>> OF_WORDS = List.of(Value::leadingZeros, Value::reverseBits,
            x -> x.timesHigh(x));
    private static final List<BinaryOperator<Value>> TWO_FLOATS = List.of(Value::plus, Value::minus, Value::times,
            Value::dividedBy, Value::min, Value::max, Value::minNan, Value::maxNan, Value::copySign, Value::remainder,
            (x, y) -> x.fma(y, x), (x, y) -> x.greaterThan(y).choose(x, y),
            (x, y) -> x.atMost(y).or(x.atLeast(y)).choose(x, y), (x, y) -> x.isEqualTo(y).choose(y.negate(), x));
    private static final List<BinaryOperator<Value>> TWO_INTEGERS = List.of(Value::plus, Value::minus, Value::times,
            Value::min, Value::max, Value::and, Value::or, Value::xor, Value::shiftLeft, Value::shiftRight,
            (x, y) -> x.isNotEqualTo(y).choose(x, y),
            (x, y) -> x.compare(Comparison.GT, y).choose(y.not(), x));
    private static final List<BinaryOperator<Value>> TWO_PREDICATES = List.of(Value::and, Value::or, Value::xor);

    private ElementWords() {
    }

    /** A function of an element of a type with arithmetic, or of predicates, to the same type. */
    static UnaryOperator<Value> one(Draw draw, ValueType type) {
        if (type == ValueType.PRED) {
            return Value::not;
        }
        if (type.isInteger()) {
            return draw.any(type.bits() >= Integer.SIZE && draw.once(3) ? OF_WORDS : OF_INTEGERS);
        }
        return draw.any(type == ValueType.F32 && draw.once(3) ? OF_F32
                : type.bits() >= Float.SIZE && draw.once(4) ? OF_REALS : OF_FLOATS);
    }

    /** A function of an element of f32. */
    static UnaryOperator<Value> ofF32(Draw draw) {
        return draw.any(draw.any(OF_F32, OF_FLOATS));
    }

    /** A function of two elements of a type. */
    static BinaryOperator<Value> two(Draw draw, ValueType type) {
        boolean dots = (type == ValueType.I32 || type == ValueType.U32) && draw.once(6);
        if (dots && type == ValueType.U32 && draw.once(2)) {
            BinaryOperator<Value> words = draw.any(List.<BinaryOperator<Value>>of((x, y) -> x.pickBytes(y, 0x5163),
                    (x, y) -> y.pairwise(BinaryOp.SUB, x.pickBytes(y, 0x0624), ValueType.F16),
                    (x, y) -> y.pickBytes(x, 0x7531).pairwise(BinaryOp.SUB, x, ValueType.BF16),
                    (x, y) -> x.pairwise(BinaryOp.MAX_NAN, y, ValueType.F16),
                    (x, y) -> y.pairwise(BinaryOp.MIN, x, ValueType.BF16)));
            return (x, y) -> words.apply(x, y).funnelShift(y.pickBytes(x, 0x2037), x.plus(y));
        }
        return dots ? (x, y) -> x.dp4a(y, x)
                : draw.any(type == ValueType.PRED ? TWO_PREDICATES : type.isInteger() ? TWO_INTEGERS : TWO_FLOATS);
    }

    /** As another type, in one of the ways there are. */
    static Value to(Draw draw, Value x, ValueType to) {
        if (x.type() == to) {
            return x;
        }
        if (x.type() == ValueType.PRED) {
            return x.choose(Value.of(to, 1), Value.of(to, 0));
        }
        if (isSmall(x.type()) || x.type() == ValueType.TF32) {
            return to(draw, x.to(ValueType.F32), to);
        }
        if (isSmall(to) && x.type().isInteger() || to == ValueType.TF32 && x.type() != ValueType.F32) {
            return x.to(ValueType.F32).to(to);
        }
        if (x.type().isFloat() && to.isInteger() && draw.once(3)) {
            return x.to(to, draw.any(Rounding.NEAREST_EVEN, Rounding.DOWN, Rounding.UP));
        }
        return x.type().isInteger() && to.isInteger() && draw.once(3) ? x.toSaturating(to) : x.to(to);
    }

    static boolean isSmall(ValueType type) {
        return type == ValueType.E4M3 || type == ValueType.E5M2;
    }
}
