package dev.tilewright.program.value;

/**
 * A binary floating-point format, its numbers taken apart and put together with one rounding. The general way, for
 * every format and rounding; {@link FloatMath} and {@link Conversions} have shorter ones for what is frequent.
 *
 * <p>Formats and their NaNs: IEEE 754-2019, 3.4; OCP "8-bit Floating Point Specification" 1.0 for e4m3 and e5m2; the
 * PTX ISA, "Alternate floating point data formats"; which NaN the hardware makes was measured on an H200.
 */
enum FloatFormat {
    /** The exponent field of all ones has numbers too, all but the last pattern. */
    E4M3(4, 3, 0, 0x7F),
    E5M2(5, 2, 0, 0x7F),
    F16(5, 10, 0, 0x7FFF),
    BF16(8, 7, 0, 0x7FFF),
    /** In the upper 19 bits of the word. */
    TF32(8, 10, 13, 0x7FFF_FFFFL),
    F32(8, 23, 0, 0x7FFF_FFFFL),
    F64(11, 52, 0, 0x7FFF_FFFF_FFFF_FFFFL);

    private final int fractionBits;
    /** Empty bits below the number in its word. */
    private final int shift;
    private final int bias;
    private final long signBit;
    private final long infinity;
    private final long largest;
    private final long nan;

    FloatFormat(int exponentBits, int fractionBits, int shift, long nan) {
        this.fractionBits = fractionBits;
        this.shift = shift;
        this.bias = (1 << exponentBits - 1) - 1;
        this.signBit = 1L << exponentBits + fractionBits;
        this.infinity = (1L << exponentBits) - 1 << fractionBits;
        this.largest = exponentBits == 4 ? infinity + 6 : infinity - 1;
        this.nan = nan;
    }

    static FloatFormat of(ValueType type) {
        return valueOf(type.name());
    }

    /** The word of the NaN that operations make. */
    long nan() {
        return nan;
    }

    /** Whether one of the fraction bits that count makes it no number. */
    boolean isNan(long word) {
        long magnitude = word >>> shift & signBit - 1;
        return this == E4M3 ? magnitude == 0x7F : magnitude > infinity;
    }

    boolean isInfinite(long word) {
        return this != E4M3 && (word >>> shift & signBit - 1) == infinity;
    }

    boolean isNegative(long word) {
        return (word >>> shift & signBit) != 0;
    }

    /** The word without its sign. */
    long magnitude(long word) {
        return word & ~(signBit << shift);
    }

    /** The word with the other sign. */
    long negated(long word) {
        return word ^ signBit << shift;
    }

    /** The first with the second's sign. */
    long withSign(long word, long of) {
        return magnitude(word) | of & signBit << shift;
    }

    /** Of a finite number the whole number that it is when divided by 2 to the power of {@link #exponent}. */
    long significand(long word) {
        long bits = word >>> shift;
        long fraction = bits & (1L << fractionBits) - 1;
        return field(bits) == 0 ? fraction : fraction | 1L << fractionBits;
    }

    /** See {@link #significand}. */
    int exponent(long word) {
        return Math.max(field(word >>> shift), 1) - bias - fractionBits;
    }

    private int field(long bits) {
        return (int) ((bits & signBit - 1) >>> fractionBits);
    }

    /** The infinity, or what stands for it: the largest number where that is asked for, or where there is none. */
    long infinity(boolean negative, boolean saturate) {
        return word(saturate || this == E4M3 ? largest : infinity, negative);
    }

    long zero(boolean negative) {
        return word(0, negative);
    }

    /**
     * Rounds a number once.
     *
     * @param significand the number divided by 2 to the power of the exponent, cut to a whole number, unsigned and not
     *     zero; where something was cut away, its lowest bit is set and there are two more bits than the format holds
     * @param saturate whether what is too large becomes the largest number
     * @return the word
     */
    long round(boolean negative, long significand, int exponent, Rounding rounding, boolean saturate) {
        int top = exponent + Long.SIZE - 1 - Long.numberOfLeadingZeros(significand);
        int smallest = 1 - bias;
        int dropped = Math.max(top, smallest) - fractionBits - exponent;
        long kept;
        boolean up;
        if (dropped <= 0) {
            kept = significand << -dropped;
            up = false;
        } else {
            kept = dropped < Long.SIZE ? significand >>> dropped : 0;
            long rest = dropped < Long.SIZE ? significand & (1L << dropped) - 1 : significand;
            up = rest != 0 && switch (rounding) {
                case TOWARDS_ZERO -> false;
                case DOWN -> negative;
                case UP -> !negative;
                case NEAREST_EVEN, NEAREST_AWAY -> {
                    int half = dropped > Long.SIZE ? -1 : Long.compareUnsigned(rest, 1L << dropped - 1);
                    yield half > 0 || half == 0 && (rounding == Rounding.NEAREST_AWAY || (kept & 1) != 0);
                }
            };
        }
        // A carry out of the fraction counts the exponent up by itself.
        long bits = kept + (up ? 1 : 0);
        if (top >= smallest) {
            bits += (long) (top - smallest) << fractionBits;
        }
        if (top > bias + 1 || bits > largest) {
            boolean inwards = switch (rounding) {
                case TOWARDS_ZERO -> true;
                case DOWN -> !negative;
                case UP -> negative;
                case NEAREST_EVEN, NEAREST_AWAY -> false;
            };
            return infinity(negative, saturate || inwards);
        }
        return word(bits, negative);
    }

    private long word(long bits, boolean negative) {
        return (negative ? bits | signBit : bits) << shift;
    }
}
