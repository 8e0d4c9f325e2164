package dev.tilewright.program;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.expression.Parameter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Values for the scalars of a kernel's step, by name:
 *
 * {@snippet :
 * kernel.launch(shape, Scalars.of("scale", 2).and("bias", 0.5f));
 * }
 *
 * <p>A number is taken as the scalar's type has it: for floating point rounded to nearest, for integers it must be one
 * that the type can hold. {@link #parse} does the same for text.
 */
public final class Scalars {
    /** For a step without scalars. */
    public static final Scalars NONE = new Scalars(Map.of(), OptionalLong.empty());

    /** Java's own parsers read more: hexadecimal, {@code 1f}, {@code 1d}, digits of other scripts. */
    private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?");

    /** Turns the type of a scalar into its bits. */
    private interface Given {
        long bits(ElementType type);
    }

    private final Map<String, Given> named;
    private final OptionalLong only;

    private Scalars(Map<String, Given> named, OptionalLong only) {
        this.named = named;
        this.only = only;
    }

    /** A number for the scalar of this name. */
    public static Scalars of(String name, Number value) {
        NotNull.all("name, value", name, value);
        return NONE.and(name, value);
    }

    /** Bits for the scalar of this name, in the low end. */
    public static Scalars ofBits(String name, long bits) {
        Objects.requireNonNull(name, "name");
        return NONE.andBits(name, bits);
    }

    /** Bits for the only scalar of a step, in the low end; ignored where the step has none. */
    public static Scalars ofBits(long bits) {
        return new Scalars(Map.of(), OptionalLong.of(bits));
    }

    /** These scalars and one more, given as a number. */
    public Scalars and(String name, Number value) {
        NotNull.all("name, value", name, value);
        return with(name, type -> ofNumber(type, value));
    }

    /** These scalars and one more, given as bits. */
    public Scalars andBits(String name, long bits) {
        Objects.requireNonNull(name, "name");
        return with(name, _ -> bits);
    }

    private Scalars with(String name, Given given) {
        Map<String, Given> more = new LinkedHashMap<>(named);
        if (more.put(name, given) != null) {
            throw new BadRequestException("the scalar '" + name + "' is given twice");
        }
        return new Scalars(more, only);
    }

    /**
     * The bits of each of these, in their order.
     *
     * @throws BadRequestException if one is missing, or one is given that is not among them, or a number is not of the
     *         type
     */
    public Map<Parameter.Scalar, Long> bits(List<Parameter.Scalar> scalars) {
        NotNull.all("scalars", scalars);
        List<String> names = scalars.stream().map(Parameter.Scalar::name).toList();
        for (String name : named.keySet()) {
            if (!names.contains(name)) {
                throw new BadRequestException("the step has no scalar '" + name + "'; it has "
                        + (names.isEmpty() ? "none" : String.join(", ", names)));
            }
        }
        Map<Parameter.Scalar, Long> bits = new LinkedHashMap<>();
        for (Parameter.Scalar scalar : scalars) {
            Given given = named.get(scalar.name());
            if (given != null) {
                bits.put(scalar, given.bits(scalar.type()));
            } else if (only.isPresent() && scalars.size() == 1) {
                bits.put(scalar, only.getAsLong());
            } else {
                throw new BadRequestException("the step's scalar '" + scalar.name() + "' of type " + scalar.type()
                        + " has no value: give one, with Scalars.of(\"" + scalar.name() + "\", ...)");
            }
        }
        return bits;
    }

    private static long ofNumber(ElementType type, Number value) {
        return switch (type) {
            case F16 -> FloatBits.toF16(value.floatValue());
            case BF16 -> FloatBits.toBf16(value.floatValue());
            case F32 -> {
                float single = value.floatValue();
                requireNoOverflow(value.toString(), Double.isInfinite(value.doubleValue()) ? "Infinity" : "", type,
                        Float.isInfinite(single), Float.MAX_VALUE);
                yield Float.floatToRawIntBits(single) & 0xFFFFFFFFL;
            }
            case F64 -> Double.doubleToRawLongBits(value.doubleValue());
            default -> whole(type, value.toString());
        };
    }

    /**
     * The bits of the scalar for elements of this type, in the type that the step computes in.
     *
     * @param text a number; for integer elements a whole number that the type can hold, for floating point any decimal
     *     number, {@code nan}, {@code inf} or {@code -inf}, rounded to nearest
     * @throws BadRequestException if the text is no such number
     */
    public static long parse(ElementType element, String text) {
        NotNull.all("element, text", element, text);
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

    /** {@code scalars {scalar=2.5}}. */
    @Override
    public String toString() {
        return "scalars " + (only.isPresent() ? "of bits 0x" + Long.toHexString(only.getAsLong()) : named);
    }
}
