package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Turns the number that a user names for a scale or add step into the bits that the kernel takes. */
public final class Scalars {

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
        ElementType type = ElementStep.scalarType(element);
        return switch (type) {
            case F32 -> Float.floatToRawIntBits(Float.parseFloat(javaNumber(text))) & 0xFFFFFFFFL;
            case F64 -> Double.doubleToRawLongBits(Double.parseDouble(javaNumber(text)));
            default -> whole(type, text);
        };
    }

    private static String javaNumber(String text) {
        String word = text.trim().toLowerCase(java.util.Locale.ROOT);
        switch (word) {
            case "nan": return "NaN";
            case "inf", "+inf": return "Infinity";
            case "-inf": return "-Infinity";
            default:
        }
        try {
            // -0.0 must keep its sign, so the text itself goes on; this only checks that it is a number.
            new BigDecimal(word);
            return word;
        } catch (NumberFormatException e) {
            throw new BadRequestException("the scalar '" + text + "' is not a number", e);
        }
    }

    private static long whole(ElementType type, String text) {
        int bits = 8 * type.bytes();
        BigInteger low = type.isSigned() ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
        BigInteger high = BigInteger.ONE.shiftLeft(type.isSigned() ? bits - 1 : bits).subtract(BigInteger.ONE);
        BigInteger value;
        try {
            value = new BigDecimal(text.trim()).toBigIntegerExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new BadRequestException("elements of type " + type + " take a whole number as scalar, got '" + text + "'", e);
        }
        if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
            throw new BadRequestException("the scalar for elements of type " + type + " must be in [" + low + ", " + high
                    + "], got " + value);
        }
        return value.longValue() & (bits == 64 ? -1L : (1L << bits) - 1);
    }
}
