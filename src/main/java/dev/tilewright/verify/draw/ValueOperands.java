package dev.tilewright.verify.draw;

import dev.tilewright.program.value.ValueType;
import java.util.SplittableRandom;

/**
 * Operands that make operations on values show what they do: any bits, the special numbers of a type, and numbers near
 * the operand before, so that sums cancel and comparisons are close.
 */
public final class ValueOperands {
    private ValueOperands() { }

    /**
     * @param before the operands before in the same calls, each with as many words as there are to be; may be empty
     * @param type the type of the words
     */
    public static long[] words(ValueType type, int count, long seed, long[] before) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] special = special(type);
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            long bits = switch (random.nextInt(8)) {
                case 0, 1 -> random.nextLong();
                case 2 -> special[random.nextInt(special.length)];
                case 3 -> special[random.nextInt(special.length)] + random.nextInt(7) - 3;
                case 4 -> before.length == 0 ? random.nextLong() : before[i] + random.nextInt(9) - 4;
                // The other sign, where the word has one.
                case 5 -> (before.length == 0 ? random.nextLong() : before[i] + random.nextInt(9) - 4)
                        ^ 1L << type.bits() - 1;
                case 6 -> moderate(type, random);
                // Short fractions: exact results and ties.
                default -> moderate(type, random) & -1L << random.nextInt(type.bits());
            };
            words[i] = type.word(bits);
        }
        return words;
    }

    /** Floats of exponents near that of 1; small integers. */
    private static long moderate(ValueType type, SplittableRandom random) {
        return switch (type) {
            case F16 -> bits(15, 10, 8, random);
            case BF16 -> bits(127, 7, 20, random);
            case F32, TF32 -> bits(127, 23, 40, random);
            case F64 -> bits(1023, 52, 90, random);
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    private static long bits(int bias, int fractionBits, int spread, SplittableRandom random) {
        long exponent = bias + random.nextInt(2 * spread) - spread;
        long sign = random.nextBoolean() ? bias + 1L << fractionBits + 1 : 0;
        return sign | exponent << fractionBits | random.nextLong() & (1L << fractionBits) - 1;
    }

    private static long[] special(ValueType type) {
        return switch (type) {
            case PRED -> new long[] {0, 1};
            case E4M3 -> new long[] {0, 0x80, 1, 0x81, 7, 8, 0x38, 0xB8, 0x7E, 0xFE, 0x7F, 0xFF};
            case E5M2 -> new long[] {0, 0x80, 1, 0x81, 3, 4, 0x3C, 0xBC, 0x7B, 0xFB, 0x7C, 0xFC, 0x7D, 0x7E, 0x7F, 0xFF,
                    0xFD};
            case F16 -> floats(5, 10);
            case BF16 -> floats(8, 7);
            case F32, TF32 -> floats(8, 23);
            case F64 -> floats(11, 52);
            default -> new long[] {0, 1, 2, 3, -1, -2, 7, 8, 31, 32, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF,
                0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL, Long.MAX_VALUE, Long.MIN_VALUE, 65504, 65520, 1L << 24,
                        1L << 53,
                448, 464, 57344, 61440, (1L << 24) + 1, (1L << 53) + 1, 0x7FFF_FF80_0000_0000L, -1L << 40};
        };
    }

    private static long[] floats(int exponentBits, int fractionBits) {
        long one = (1L << exponentBits - 1) - 1 << fractionBits;
        long infinity = (1L << exponentBits) - 1 << fractionBits;
        long sign = 1L << exponentBits + fractionBits;
        long half = 1L << fractionBits - 1;
        long step = 1L << fractionBits;
        long[] positive = {0, 1, 2, step - 1, step, step + 1, one - step, one, one + half, one + step, one + step
                + half,
            infinity - 1, infinity - step, infinity, infinity + 1, infinity + half - 1, infinity + half, infinity + half
                    + 5,
            infinity + step - 1, one + 7 * step, one + 8 * step, one + 15 * step, one + 16 * step, one - 14 * step,
            one + fractionBits * step, one + (fractionBits + 1) * step,
            one + (exponentBits > 5 ? 31 * step : 0), one + (exponentBits > 5 ? 32 * step : 0),
            one + (exponentBits > 5 ? 63 * step : 0), one + (exponentBits > 5 ? 64 * step : 0),
            one + (exponentBits > 8 ? 127 * step : 0), one + (exponentBits > 8 ? 128 * step : 0),
            one - (exponentBits > 8 ? 150 * step : 0), one - (exponentBits > 8 ? 127 * step : 0),
            one - (exponentBits > 5 ? 24 * step : 0), one - (exponentBits > 5 ? 25 * step : 0)};
        long[] all = new long[2 * positive.length];
        for (int i = 0; i < positive.length; i++) {
            all[2 * i] = positive[i];
            all[2 * i + 1] = positive[i] | sign;
        }
        return all;
    }
}
