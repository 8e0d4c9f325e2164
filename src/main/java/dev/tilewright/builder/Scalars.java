package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** Turns the number that a user names for a scale or add step into the bits that the kernel takes. */
public final class Scalars {
    /** Java's own parsers read more: hexadecimal, {@code 1f}, {@code 1d}, digits of other scripts. */
    private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?");

    private Scalars() {
    }

    /**
     * The bits of the scalar for elements of this type, in the type that the step computes in.
     *
     * @param text a number; for integer elements a whole number that the type can hold, for floating point any decimal
     *     number, {@code nan}, {@code inf} or {@code -inf}, rounded to nearest
     * @throws BadRequestException if the text is no such number
     */
    public static long parse(ElementType element, String text) {
        Objects.requireNonNull(element, "element");
        Objects.requireNonNull(text, "text");
        ElementType type = ElementStep.scalarType(element);
        return switch (type) {
            case F32 -> {
                String number = javaNumber(text);
                float value = Float.parseFloat(number);
                requireNoOverflow(text, number, type, Float.isInfinite(value), Float.MAX_VALUE);
                yield Float.floatToRawIntBits(value) & 0xFFFFFFFFL;
            }
            case F64 -> {
                String number = javaNumber(text);
                double value = Double.parseDouble(number);
                requireNoOverflow(text, number, type, Double.isInfinite(value), Double.MAX_VALUE);
                yield Double.doubleToRawLongBits(value);
            }
            default -> whole(type, text);
        };
    }

    /** A number that only becomes infinite by rounding is a mistake; infinity has a name of its own. */
    private static void requireNoOverflow(String text, String number, ElementType type, boolean infinite, Number most) {
        if (infinite && !number.endsWith("Infinity")) {
            throw new BadRequestException("the scalar '" + text + "' is beyond the largest " + type + ", " + most
                    + ": write inf if infinity is meant");
        }
    }

    private static String javaNumber(String text) {
        String word = word(text);
        return switch (word) {
            case "nan" -> "NaN";
            case "inf", "+inf" -> "Infinity";
            case "-inf" -> "-Infinity";
            default -> {
                if (!DECIMAL.matcher(word).matches()) {
                    throw new BadRequestException("the scalar '" + text + "' is not a number");
                }
                yield word;
            }
        };
    }

    private static long whole(ElementType type, String text) {
        int bits = 8 * type.bytes();
        BigInteger low = type.isSigned() ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
        BigInteger high = BigInteger.ONE.shiftLeft(type.isSigned() ? bits - 1 : bits).subtract(BigInteger.ONE);
        BigDecimal value = decimal(text).filter(d -> d.scale() <= 0).orElseThrow(() -> new BadRequestException(
                "elements of type " + type + " take a whole number as scalar, got '" + text + "'"));
        // Compared before it is written out: 1e999999999 has a thousand million digits.
        if (value.compareTo(new BigDecimal(low)) < 0 || value.compareTo(new BigDecimal(high)) > 0) {
            throw new BadRequestException("the scalar for elements of type " + type + " must be in [" + low + ", "
                    + high + "], got " + text);
        }
        return value.toBigInteger().longValue() & (bits == 64 ? -1L : (1L << bits) - 1);
    }

    /** The number with no more digits after the point than it needs. */
    private static Optional<BigDecimal> decimal(String text) {
        if (!DECIMAL.matcher(word(text)).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BigDecimal(word(text)).stripTrailingZeros());
        } catch (NumberFormatException e) {
            // An exponent of more than 32 bits.
            return Optional.empty();
        }
    }

    private static String word(String text) {
        return text.trim().toLowerCase(Locale.ROOT);
    }
}
