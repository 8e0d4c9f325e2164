package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * Reduces any finite f32 in integers, to 2^-62 of a quarter turn (M. H. Payne, R. N. Hanek, "Radian reduction for
 * trigonometric functions", 1983): the significand of 24 bits times those 96 bits of 2/pi that matter for its exponent;
 * what lies above them makes whole turns. No f32 comes nearer to a multiple of a quarter turn than 2^-30 of one.
 */
final class QuadrantF32 {
    /** 32 bits a word; the 33rd bit stands for 1, the 34th for 1/2. */
    private static final int[] TWO_OVER_PI = {0, 0x517C_C1B7, 0x2722_0A94, 0xFE13_ABE8, 0xFA9A_6EE0, 0x6DB1_4ACC,
        0x9E21_C820};
    /** A quarter turn in units of 2^-48 of one, in two parts. */
    private static final Value HIGH = Value.f32(0x1.921fb6p-48f);
    private static final Value LOW = Value.f32(-0x1.777a5cp-73f);

    private QuadrantF32() { }

    static Quadrant of(ValueFunction.Lets lets, Value size) {
        Value bits = lets.let("bits", size.bitCast(ValueType.U32));
        Value exponent = lets.let("exponent", bits.shiftRight(23));
        Value significand = bits.and(Value.u32(0x007F_FFFF)).or(Value.u32(0x0080_0000));
        // From 1 on the window moves with the exponent; from 1/2 to 1 it stands, and the significand moves.
        Value below1 = lets.let("below_1", exponent.lessThan(Value.u32(127)));
        Value m = lets.let("m", below1.choose(significand.shiftLeft(7), significand.shiftLeft(8)));
        Value start = lets.let("start", below1.choose(Value.u32(0), exponent.minus(Value.u32(127))));
        Value[] window = window(lets, start);
        Value wide = lets.let("wide", m.to(ValueType.U64));
        // In units of 2^-62 quarter turns, whole turns left out.
        Value turns = lets.let("turns", m.times(window[0]).to(ValueType.U64).shiftLeft(32)
                .plus(wide.times(window[1].to(ValueType.U64)))
                .plus(m.timesHigh(window[2]).to(ValueType.U64)));
        Value quarters = turns.shiftRight(61).to(ValueType.U32).plus(Value.u32(1)).shiftRight(1);
        // The rest, signed, in units of 2^-64 quarter turns: 24, 24 and 16 bits that are exact as floats.
        Value rest = lets.let("rest", turns.shiftLeft(2));
        Value upper = lets.let("upper", rest.shiftRight(32).to(ValueType.U32).bitCast(ValueType.I32));
        Value lower = lets.let("lower", rest.to(ValueType.U32));
        Value first = upper.shiftRight(8).to(ValueType.F32).times(0x1p24);
        Value second = upper.bitCast(ValueType.U32).and(Value.u32(0xFF)).shiftLeft(16).or(lower.shiftRight(16))
                .to(ValueType.F32);
        Pair sum = Pair.fastSum(lets, first, second);
        Value third = lower.and(Value.u32(0xFFFF)).to(ValueType.F32);
        Value low = third.fma(Value.f32(0x1p-16f), sum.low());
        Pair radians = Pair.product(lets, sum.high(), HIGH);
        Value more = low.fma(HIGH, sum.high().fma(LOW, radians.low()));
        // Less than half a quarter turn is its own rest.
        Value isRest = lets.let("is_rest", size.lessThan(0x1.921fb4p-1));
        return new Quadrant(lets.let("quarters", isRest.choose(Value.u32(0), quarters)),
                new Pair(lets.let("rest_high", isRest.choose(size, radians.high())),
                        lets.let("rest_low", isRest.choose(Value.f32(0), more))));
    }

    /** 96 bits of 2/pi from a bit on, which is at most 127: two choices among words, and a shift. */
    private static Value[] window(ValueFunction.Lets lets, Value start) {
        Value by32 = lets.let("by_32", start.and(Value.u32(32)).isNotEqualTo(Value.u32(0)));
        Value by64 = lets.let("by_64", start.and(Value.u32(64)).isNotEqualTo(Value.u32(0)));
        Value[] words = new Value[6];
        for (int i = 0; i < words.length; i++) {
            words[i] = lets.let("word", by32.choose(Value.u32(TWO_OVER_PI[i + 1]), Value.u32(TWO_OVER_PI[i])));
        }
        Value[] chosen = new Value[4];
        for (int i = 0; i < chosen.length; i++) {
            chosen[i] = lets.let("chosen", by64.choose(words[i + 2], words[i]).to(ValueType.U64));
        }
        Value by = lets.let("by", start.and(Value.u32(31)).to(ValueType.U64));
        Value[] window = new Value[3];
        for (int i = 0; i < window.length; i++) {
            window[i] = lets.let("window", chosen[i].shiftLeft(32).or(chosen[i + 1]).shiftLeft(by).shiftRight(32)
                    .to(ValueType.U32));
        }
        return window;
    }
}
