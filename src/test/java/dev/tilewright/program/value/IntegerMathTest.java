package dev.tilewright.program.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.Thorough;
import dev.tilewright.verify.draw.ValueOperands;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Integers against whole numbers without bounds: of 8-bit types all pairs, of 16-bit types every single operand; in an
 * ordinary run a quarter of these, another one each time.
 */
class IntegerMathTest {
    private static final int COUNT = Thorough.of(8_000, 50_000);

    static Stream<ValueType> types() {
        return Stream.of(ValueType.values()).filter(ValueType::isInteger);
    }

    @Provide
    Arbitrary<ValueType> integers() {
        return Arbitraries.of(types().toList());
    }

    private static long[] words(ValueType type) {
        return type.bits() > 16 ? ValueOperands.words(type, COUNT, 1, new long[0])
                : Arrays.stream(all(type)).filter(a -> Thorough.takes(a, 4)).toArray();
    }

    @ParameterizedTest
    @MethodSource("types")
    void oneOperand(ValueType type) {
        long[] words = words(type);
        for (UnaryOp op : UnaryOp.values()) {
            if (ValueMath.has(op, type)) {
                LongUnaryOperator f = ValueMath.unary(op, type);
                for (long a : words) {
                    long expected = word(type, expected(op, type, number(type, a)));
                    if (expected != f.applyAsLong(a)) {
                        assertEquals(expected, f.applyAsLong(a), op + " of " + type + " " + a);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    void twoOperands(ValueType type) {
        if (type.bits() == 8) {
            long[] all = all(type);
            for (long a : all) {
                for (long b : all) {
                    if (Thorough.takes(a + b, 4)) {
                        check(type, a, b);
                    }
                }
            }
            return;
        }
        long[] as = ValueOperands.words(type, COUNT, 2, new long[0]);
        long[] bs = ValueOperands.words(type, COUNT, 3, as);
        for (int i = 0; i < as.length; i++) {
            check(type, as[i], bs[i]);
        }
    }

    @Property(tries = 100)
    void anyOperands(@ForAll("integers") ValueType type, @ForAll long a, @ForAll long b) {
        check(type, type.word(a), type.word(b));
    }

    @Test
    void divisionByZeroIsReported() {
        for (BinaryOp op : new BinaryOp[] {BinaryOp.DIV, BinaryOp.REM}) {
            String message = assertThrows(ArithmeticException.class,
                    () -> ValueMath.binary(op, ValueType.U64).applyAsLong(-1, 0)).getMessage();
            assertEquals("division of 18446744073709551615 (u64) by zero: on a GPU the result is undefined; select "
                    + "another "
                    + "divisor where it is zero", message);
            assertThrows(ArithmeticException.class, () -> ValueMath.binary(op, ValueType.I32).applyAsLong(3, 0));
        }
    }

    @Test
    void predicates() {
        for (long a = 0; a < 2; a++) {
            assertEquals(1 - a, ValueMath.unary(UnaryOp.NOT, ValueType.PRED).applyAsLong(a));
            for (long b = 0; b < 2; b++) {
                assertEquals(a * b, ValueMath.binary(BinaryOp.AND, ValueType.PRED).applyAsLong(a, b));
                assertEquals(Math.max(a, b), ValueMath.binary(BinaryOp.OR, ValueType.PRED).applyAsLong(a, b));
                assertEquals(a != b ? 1 : 0, ValueMath.binary(BinaryOp.XOR, ValueType.PRED).applyAsLong(a, b));
                assertEquals(a == b, ValueMath.compare(Comparison.EQ, ValueType.PRED).test(a, b));
                assertEquals(a != b, ValueMath.compare(Comparison.NE, ValueType.PRED).test(a, b));
            }
        }
    }

    private static void check(ValueType type, long a, long b) {
        BigInteger x = number(type, a);
        BigInteger y = number(type, b);
        for (BinaryOp op : BinaryOp.values()) {
            if (ValueMath.has(op, type) && !(b == 0 && (op == BinaryOp.DIV || op == BinaryOp.REM))) {
                LongBinaryOperator f = ValueMath.binary(op, type);
                long expected = word(type, expected(op, type, x, y));
                if (expected != f.applyAsLong(a, b)) {
                    assertEquals(expected, f.applyAsLong(a, b), op + " of " + type + " " + a + ", " + b);
                }
            }
        }
        int order = x.compareTo(y);
        boolean[] holds = {order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0};
        for (int i = 0; i < holds.length; i++) {
            if (holds[i] != ValueMath.compare(Comparison.values()[i], type).test(a, b)) {
                assertEquals(holds[i], !holds[i], Comparison.values()[i] + " of " + type + " " + a + ", " + b);
            }
        }
    }

    private static BigInteger expected(UnaryOp op, ValueType type, BigInteger a) {
        BigInteger bits = a.mod(BigInteger.ONE.shiftLeft(type.bits()));
        return switch (op) {
            case NEGATE -> a.negate();
            case ABS -> a.abs();
            case NOT -> a.not();
            case COUNT_ONES -> BigInteger.valueOf(bits.bitCount());
            case LEADING_ZEROS -> BigInteger.valueOf(type.bits() - bits.bitLength());
            case REVERSE_BITS -> {
                BigInteger reversed = BigInteger.ZERO;
                for (int i = 0; i < type.bits(); i++) {
                    reversed = bits.testBit(i) ? reversed.setBit(type.bits() - 1 - i) : reversed;
                }
                yield reversed;
            }
            default -> throw new AssertionError(op);
        };
    }

    private static BigInteger expected(BinaryOp op, ValueType type, BigInteger a, BigInteger b) {
        BigInteger count = b.mod(BigInteger.ONE.shiftLeft(type.bits())).min(BigInteger.valueOf(type.bits()));
        return switch (op) {
            case ADD -> a.add(b);
            case SUB -> a.subtract(b);
            case MUL -> a.multiply(b);
            case DIV -> a.divide(b);
            case REM -> a.remainder(b);
            case MIN -> a.min(b);
            case MAX -> a.max(b);
            case AND -> a.and(b);
            case OR -> a.or(b);
            case XOR -> a.xor(b);
            case SHL -> a.shiftLeft(count.intValue());
            case SHR -> a.shiftRight(count.intValue());
            case MUL_HI -> a.multiply(b).shiftRight(type.bits());
            default -> throw new AssertionError(op);
        };
    }

    static BigInteger number(ValueType type, long word) {
        return type == ValueType.U64 ? new BigInteger(Long.toUnsignedString(word)) : BigInteger.valueOf(word);
    }

    /** The low bits, as a word of the type. */
    static long word(ValueType type, BigInteger number) {
        BigInteger size = BigInteger.ONE.shiftLeft(type.bits());
        BigInteger low = number.mod(size);
        return (type.isSigned() && low.testBit(type.bits() - 1) ? low.subtract(size) : low).longValue();
    }

    private static long[] all(ValueType type) {
        long[] words = new long[1 << type.bits()];
        for (int i = 0; i < words.length; i++) {
            words[i] = type.word(i);
        }
        return words;
    }
}
