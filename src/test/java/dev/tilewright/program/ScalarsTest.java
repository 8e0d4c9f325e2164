package dev.tilewright.program;

import static dev.tilewright.builder.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scalars by the text that a user writes: every number there and back, and what is none. */
class ScalarsTest {

    @Property
    void everyFloatIsReadAsItIsPrinted(@ForAll int bits) {
        float value = Float.intBitsToFloat(bits);
        long expected = Float.floatToIntBits(value) & 0xFFFFFFFFL;
        for (ElementType type : new ElementType[] {ElementType.F32, ElementType.F16, ElementType.BF16}) {
            assertEquals(expected, Scalars.parse(type, text(value)));
        }
    }

    @Property
    void everyDoubleIsReadAsItIsPrinted(@ForAll long bits) {
        double value = Double.longBitsToDouble(bits);
        assertEquals(Double.doubleToLongBits(value), Scalars.parse(ElementType.F64, text(value)));
    }

    private static String text(double value) {
        return Double.isNaN(value) ? "NaN" : Double.isInfinite(value) ? value > 0 ? "inf" : "-Inf"
                : Double.toString(value);
    }

    private static String text(float value) {
        return Float.isNaN(value) || Float.isInfinite(value) ? text((double) value) : Float.toString(value);
    }

    @Property
    void everyWholeNumberThatFitsIsReadAndNoOther(@ForAll long number, @ForAll ElementType type) {
        if (type.isFloat()) {
            return;
        }
        int bits = 8 * type.bytes();
        for (BigInteger value : new BigInteger[] {BigInteger.valueOf(number), BigInteger.valueOf(number >> 64 - bits),
            BigInteger.valueOf(number).and(BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE))}) {
            BigInteger low = type.isSigned() ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
            BigInteger high = low.add(BigInteger.ONE.shiftLeft(bits)).subtract(BigInteger.ONE);
            if (value.compareTo(low) >= 0 && value.compareTo(high) <= 0) {
                long expected = value.longValue() & -1L >>> 64 - bits;
                assertEquals(expected, Scalars.parse(type, value.toString()));
                assertEquals(expected, Scalars.parse(type, new BigDecimal(value).setScale(2) + "e0"));
            } else {
                refused("the scalar for elements of type " + type + " must be in [" + low + ", " + high + "], got "
                        + value, () -> Scalars.parse(type, value.toString()));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"F32, 1.5, 3fc00000", "F16, 0.5, 3f000000", "BF16, ' -2 ', c0000000", "F32, -0, 80000000",
            "F32, -0.0, 80000000",
        "F32, nan, 7fc00000", "F32, INF, 7f800000", "F32, -inf, ff800000", "F32, 1e-60, 0", "F32, .5e1, 40a00000",
        "F64, 0.1, 3fb999999999999a", "F64, -inf, fff0000000000000", "U8, 255, ff", "I8, -128, 80",
        "I8, +127, 7f", "U16, 65535, ffff", "I32, -1, ffffffff", "I32, 2.0, 2", "I32, 1e3, 3e8", "I32, 1200e-2, c",
        "U64, 18446744073709551615, ffffffffffffffff", "I64, -9223372036854775808, 8000000000000000",
        "I64, 0e999999999, 0"})
    void bits(ElementType type, String text, String hex) {
        assertEquals(hex, Long.toHexString(Scalars.parse(type, text)));
    }

    @ParameterizedTest
    @CsvSource({"F32, 1e40, 3.4028235E38", "F16, 3.5e38, 3.4028235E38", "F32, -1e9999999999, 3.4028235E38",
        "F64, 2e308, 1.7976931348623157E308"})
    void onlyInfinityItselfIsInfinite(ElementType type, String text, String most) {
        refused("the scalar '" + text + "' is beyond the largest " + ElementStep.scalarType(type) + ", " + most
                + ": write inf if infinity is meant", () -> Scalars.parse(type, text));
    }

    @ParameterizedTest
    @CsvSource({"F32, 1e40, f32, 3.4028235E38", "F16, -1e39, f32, 3.4028235E38", "F32, 1e9999999999, f32, 3.4028235E38",
        "F64, -1e309, f64, 1.7976931348623157E308"})
    void numbersBeyondTheLargest(ElementType type, String text, String computed, String largest) {
        refused("the scalar '" + text + "' is beyond the largest " + computed + ", " + largest
                + ": write inf if infinity is meant", () -> Scalars.parse(type, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "abc", "1f", "1d", "0x1p3", "0x10", "1,5", "--1", "1e", ".", "e5", "٣", "nan1",
            "infinity", "+nan"})
    void noNumbers(String text) {
        refused("the scalar '" + text + "' is not a number", () -> Scalars.parse(ElementType.F32, text));
        refused("the scalar '" + text + "' is not a number", () -> Scalars.parse(ElementType.F64, text));
        refused("elements of type i32 take a whole number as scalar, got '" + text + "'",
                () -> Scalars.parse(ElementType.I32, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", "nan", "inf", "1e-1", "1e-999999999", "0.000001"})
    void noWholeNumbers(String text) {
        refused("elements of type u8 take a whole number as scalar, got '" + text + "'",
                () -> Scalars.parse(ElementType.U8, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "-1e999999999", "1e2147483647", "1e-999999999", "1e-2147483647",
            "0e2147483647"})
    void hugeExponentsCostNothing(String text) {
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            try {
                assertEquals(0, Scalars.parse(ElementType.I64, text));
            } catch (BadRequestException e) {
                // Refused at once, which is what this is about.
            }
        });
    }
}
