package dev.tilewright.reference.tensor;

import dev.tilewright.program.value.ValueType;
import java.util.Locale;

/**
 * The short floating-point formats that tensor cores multiply, and how a bit pattern of one is taken apart: into a
 * significand, which is an integer with the hidden bit and the number's sign, and the exponent that the adder sees,
 * which is that of the exponent's field (of a subnormal that of the smallest normal number). Zero, infinity and NaN
 * have exponents of their own, so far away that the sum of two exponents still tells what was among them.
 */
enum OperandFormat {
    F16(16, 5, 10, Special.IEEE),
    BF16(16, 8, 7, Special.IEEE),
    /** A binary32 of which the low 13 bits are not looked at. */
    TF32(32, 8, 10, Special.IEEE),
    /** No infinity, and of NaNs one of each sign. */
    E4M3(8, 4, 3, Special.NAN_ONLY),
    E5M2(8, 5, 2, Special.IEEE);

    /** The exponent of a zero: with any other but those below it sums to less than {@link #LEAST}. */
    static final int ZERO = -4096;
    static final int INFINITY = 16384;
    static final int NAN = 24576;
    /** A sum of two exponents below this has a zero in it and neither infinity nor NaN. */
    static final int LEAST = -1024;
    /** A sum of two exponents above this has an infinity or a NaN in it. */
    static final int MOST = 1024;

    private enum Special { IEEE, NAN_ONLY }

    private static final int DROPPED_OF_TF32 = 13;
    private static final short[] E4M3_AS_F16 = e4m3AsF16();

    private final int bits;
    private final int exponentBits;
    private final int fractionBits;
    private final Special special;
    /** For every pattern of up to 16 bits: the significand above the low half, the exponent in it. */
    private final int[] table;

    OperandFormat(int bits, int exponentBits, int fractionBits, Special special) {
        this.bits = bits;
        this.exponentBits = exponentBits;
        this.fractionBits = fractionBits;
        this.special = special;
        if (bits <= 16) {
            table = new int[1 << bits];
            for (int i = 0; i < table.length; i++) {
                table[i] = taken(i);
            }
        } else {
            table = null;
        }
    }

    static OperandFormat of(ValueType type) {
        return switch (type) {
            case F16 -> F16;
            case BF16 -> BF16;
            case TF32 -> TF32;
            case E4M3 -> E4M3;
            case E5M2 -> E5M2;
            default -> throw new IllegalArgumentException("tensor cores multiply f16, bf16, tf32, e4m3, e5m2, i8, u8 "
                    + "and f64, not " + type);
        };
    }

    int bits() {
        return bits;
    }

    int exponentBits() {
        return exponentBits;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Takes numbers apart.
     *
     * @param words {@code vectors} times {@code depth} numbers that follow each other
     * @param order where each of these goes to among them
     */
    Factors decode(long[] words, int vectors, int depth, int[] order) {
        Factors factors = Factors.of(depth, vectors);
        for (int v = 0; v < vectors; v++) {
            int first = v * depth;
            for (int k = 0; k < depth; k++) {
                int both = table == null ? taken((int) words[first + k] >>> DROPPED_OF_TF32)
                        : table[(int) words[first + k] & table.length - 1];
                factors.set(order[k], v, both >> 16, (short) both, fractionBits);
            }
        }
        return factors;
    }

    /** Numbers of 8 bits as f16, which holds them exactly. */
    long[] widened(long[] words, int count) {
        long[] result = new long[count];
        for (int i = 0; i < count; i++) {
            result[i] = this == E5M2 ? (words[i] & 0xFF) << 8 : E4M3_AS_F16[(int) words[i] & 0xFF];
        }
        return result;
    }

    private static short[] e4m3AsF16() {
        short[] result = new short[256];
        for (int i = 0; i < result.length; i++) {
            int both = E4M3.table[i];
            float magnitude = switch ((short) both) {
                case ZERO -> 0;
                case NAN -> Float.NaN;
                default -> Math.scalb((float) Math.abs(both >> 16), (short) both - E4M3.fractionBits);
            };
            result[i] = Float.floatToFloat16((i & 0x80) != 0 ? -magnitude : magnitude);
        }
        return result;
    }

    /** Takes a pattern apart. @param pattern without what is not looked at */
    private int taken(int pattern) {
        int fraction = pattern & (1 << fractionBits) - 1;
        int field = pattern >>> fractionBits & (1 << exponentBits) - 1;
        boolean negative = (pattern >>> fractionBits + exponentBits & 1) != 0;
        int largest = (1 << exponentBits) - 1;
        int significand;
        int exponent;
        if (special == Special.IEEE && field == largest) {
            significand = 1;
            exponent = fraction == 0 ? INFINITY : NAN;
        } else if (special == Special.NAN_ONLY && field == largest && fraction == (1 << fractionBits) - 1) {
            significand = 1;
            exponent = NAN;
        } else if (field == 0) {
            significand = fraction;
            exponent = fraction == 0 ? ZERO : 1 - (largest >> 1);
        } else {
            significand = fraction | 1 << fractionBits;
            exponent = field - (largest >> 1);
        }
        return (negative ? -significand : significand) << 16 | exponent & 0xFFFF;
    }
}
