package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * Reduces any finite f64 in integers, to 2^-126 of a quarter turn, as {@link QuadrantF32} does f32: the significand of
 * 53 bits times the 192 bits of 2/pi that matter for its exponent. No f64 comes nearer to a multiple of a quarter turn
 * than 2^-62 of one.
 */
final class QuadrantF64 {
    /** 64 bits a word; the first bit stands for 1/2 of the number times 2. Before them come 64 zeros. */
    private static final long[] TWO_OVER_PI = {0L,
        0x517CC1B727220A94L, 0xFE13ABE8FA9A6EE0L, 0x6DB14ACC9E21C820L, 0xFF28B1D5EF5DE2B0L,
        0xDB92371D2126E970L, 0x0324977504E8C90EL, 0x7F0EF58E5894D39FL, 0x74411AFA975DA242L,
        0x74CE38135A2FBF20L, 0x9CC8EB1CC1A99CFAL, 0x4E422FC5DEFC941DL, 0x8FFC4BFFEF02CC07L,
        0xF79788C5AD05368FL, 0xB69B3F6793E584DBL, 0xA7A31FB34F2FF516L, 0xBA93DD63F5F2F8BDL,
        0x9E839CFBC5294975L, 0x35FDAFD88FC6AE84L};
    /** A quarter turn in units of 2^-63 of one, in two parts. */
    private static final Value HIGH = Value.f64(0x1.921fb54442d18p-63);
    private static final Value LOW = Value.f64(0x1.1a62633145c07p-117);

    private QuadrantF64() { }

    static Quadrant of(ValueFunction.Lets lets, Value size) {
        Value bits = lets.let("bits", size.bitCast(ValueType.U64));
        Value exponent = lets.let("exponent", bits.shiftRight(52));
        Value significand = bits.and(Value.u64((1L << 52) - 1)).or(Value.u64(1L << 52));
        // From 1 on the window moves with the exponent; from 1/2 to 1 it stands, and the significand moves.
        Value below1 = lets.let("below_1", exponent.lessThan(Value.u64(1023)));
        Value m = lets.let("m", below1.choose(significand.shiftLeft(10), significand.shiftLeft(11)));
        Value start = lets.let("start", below1.choose(Value.u64(0), exponent.minus(Value.u64(1023))));
        Value[] window = window(lets, start);
        // In units of 2^-126 quarter turns, whole turns left out: 128 bits.
        Value middle = lets.let("middle", m.times(window[1]));
        Value lower = lets.let("lower", middle.plus(m.timesHigh(window[2])));
        Value upper = lets.let("upper", m.times(window[0]).plus(m.timesHigh(window[1]))
                .plus(lower.lessThan(middle).choose(Value.u64(1), Value.u64(0))));
        Value quarters = upper.shiftRight(61).to(ValueType.U32).plus(Value.u32(1)).shiftRight(1);
        // The rest, in units of 2^-128 quarter turns: its size to the last bit but one, without leading zeros.
        Value withSign = lets.let("with_sign", upper.shiftLeft(2).or(lower.shiftRight(62)));
        Value isNegative = lets.let("is_negative", withSign.bitCast(ValueType.I64).lessThan(0));
        Value high = lets.let("high", isNegative.choose(withSign.not(), withSign));
        Value rest = lower.shiftLeft(2);
        Value low = isNegative.choose(rest.not(), rest);
        Value zeros = lets.let("zeros", high.leadingZeros());
        Value top = lets.let("top", high.shiftLeft(zeros).or(low.shiftRight(Value.u64(64).minus(zeros)))
                .shiftRight(1).bitCast(ValueType.I64));
        Value rounded = lets.let("rounded", top.to(ValueType.F64));
        Value lost = top.minus(rounded.to(ValueType.I64)).to(ValueType.F64);
        Value unit = FloatKind.F64.powerOfTwo(zeros.bitCast(ValueType.I64).negate());
        Value scale = lets.let("scale", isNegative.choose(unit.negate(), unit));
        Value first = lets.let("first", rounded.times(scale));
        Pair radians = Pair.product(lets, first, HIGH);
        Value more = lost.times(scale).fma(HIGH, first.fma(LOW, radians.low()));
        // Less than half a quarter turn is its own rest.
        Value isRest = lets.let("is_rest", size.lessThan(0x1.921fb54442d18p-1));
        return new Quadrant(lets.let("quarters", isRest.choose(Value.u32(0), quarters)),
                new Pair(lets.let("rest_high", isRest.choose(size, radians.high())),
                        lets.let("rest_low", isRest.choose(Value.f64(0), more))));
    }

    /** 192 bits of 2/pi from a bit on, which is at most 1023: four choices among words, and a shift. */
    private static Value[] window(ValueFunction.Lets lets, Value start) {
        Value[] words = new Value[TWO_OVER_PI.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = Value.u64(TWO_OVER_PI[i]);
        }
        for (int step = 1; step <= 8; step *= 2) {
            Value moves = lets.let("by_" + 64 * step,
                    start.and(Value.u64(64L * step)).isNotEqualTo(Value.u64(0)));
            Value[] chosen = new Value[words.length - step];
            for (int i = 0; i < chosen.length; i++) {
                chosen[i] = lets.let("word", moves.choose(words[i + step], words[i]));
            }
            words = chosen;
        }
        Value by = lets.let("by", start.and(Value.u64(63)));
        Value back = lets.let("back", Value.u64(64).minus(by));
        Value[] window = new Value[3];
        for (int i = 0; i < window.length; i++) {
            window[i] = lets.let("window", words[i].shiftLeft(by).or(words[i + 1].shiftRight(back)));
        }
        return window;
    }
}
