package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.emit.CEvaluator.Type;
import dev.tilewright.emit.CEvaluator.Value;
import java.math.BigInteger;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The judge itself: values worked out by hand from the C++ standard, most of them different without a parenthesis. */
class CEvaluatorTest {
    private static final Map<String, Value> NAMES = Map.of("x", new Value(Type.INT, BigInteger.valueOf(10)),
            "y", new Value(Type.LONG_LONG, BigInteger.valueOf(3)), "threadIdx.x",
            new Value(Type.UNSIGNED, BigInteger.valueOf(7)));

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "7 - 3 - 2; 2; INT", "7 - (3 - 2); 6; INT", "2 + 3 * 4; 14; INT", "(2 + 3) * 4; 20; INT",
        "100 / 10 / 5; 2; INT", "100 / (10 / 5); 50; INT", "100 / 10 * 5; 50; INT", "7 % 4 * 2; 6; INT",
        "-7 / 2; -3; INT", "-7 % 3; -1; INT", "-8 >> 1; -4; INT", "1 << 2 + 1; 8; INT", "(1 << 2) + 1; 5; INT",
        "6 & 3 == 3; 0; INT", "(6 & 3) == 2; 1; BOOL", "6 ^ 3 & 1; 7; INT", "1 | 6 ^ 4; 3; INT",
        "1 < 2 == 1; 1; BOOL", "3 < 2 && 1 / 0 == 0; 0; BOOL", "1 < 2 ? 5 : 1 / 0; 5; INT",
        "2 < 1 ? 1 / 0 : 5LL; 5; LONG_LONG", "1 < 2 ? 5 : 6LL; 5; LONG_LONG", "0 ? 1 : 0 ? 2 : 3; 3; INT",
        "min(x, 4) + 1; 5; INT", "max(y, 4LL); 4; LONG_LONG", "x * y; 30; LONG_LONG",
        "(long long)x * 2147483647; 21474836470; LONG_LONG", "(int)y; 3; INT",
        "(int)threadIdx.x * -1; -7; INT", "(-2147483647 - 1); -2147483648; INT", "-(x); -10; INT"})
    void values(String text, BigInteger value, Type type) {
        assertEquals(new Value(type, value), CEvaluator.evaluate(text, NAMES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483647 + 1", "-2147483647 - 2", "65536 * 65536", "1 / 0", "1 % 0",
            "(-2147483647 - 1) / -1",
        "(-2147483647 - 1) % -1", "1 << 31", "1 << 32", "1 >> 32", "1 >> -1", "(int)2147483648LL",
        "9223372036854775807LL + 1", "2147483647 + 1 - 1", "1 < 2 ? 1 / 0 : 5", "1 < 2 && 1 / 0 == 0"})
    void whatHasNoValue(String text) {
        assertThrows(ArithmeticException.class, () -> CEvaluator.evaluate(text, NAMES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 +", "1 2", "(1", "min(1, 2LL)", "min(1 < 2, 2 < 3)", "threadIdx.x + 1",
            "threadIdx.x < 1",
        "z", "2147483648", "9223372036854775808LL", "1 = 2", "1 ? 2", "min(1)"})
    void whatIsNoSuchExpression(String text) {
        assertThrows(IllegalArgumentException.class, () -> CEvaluator.evaluate(text, NAMES));
    }
}
