package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import java.math.BigInteger;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Index arithmetic against numbers of any size: the exact value where it fits its type, a complaint where it does not.
 */
class ArithmeticTest {

    @Property(tries = 1500, edgeCases = EdgeCasesMode.NONE)
    void theValueIsExactOrRefused(@ForAll Op op, @ForAll("integers") IntType type, @ForAll("operands") long x,
            @ForAll("operands") long y) {
        long a = in(type, x);
        long b = in(type, y);
        Optional<BigInteger> exact = exact(op, type, BigInteger.valueOf(a), BigInteger.valueOf(b));
        if (exact.isPresent()) {
            assertEquals(exact.get(), BigInteger.valueOf(Arithmetic.apply(op, type, a, b)));
        } else {
            assertEquals(Arithmetic.complaint(op, type, a, b),
                    assertThrows(ArithmeticException.class, () -> Arithmetic.apply(op, type, a, b)).getMessage());
        }
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void comparisonsOrderAsNumbersDo(@ForAll Relation relation, @ForAll("operands") long a,
            @ForAll("operands") long b) {
        int order = BigInteger.valueOf(a).compareTo(BigInteger.valueOf(b));
        boolean expected = switch (relation) {
            case EQ -> order == 0;
            case NE -> order != 0;
            case LT -> order < 0;
            case LE -> order <= 0;
            case GT -> order > 0;
            case GE -> order >= 0;
        };
        assertEquals(expected, Arithmetic.test(relation, a, b));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ADD | S32 | 2147483647 | 1 | 2147483647 + 1 does not fit a 32-bit index",
        "ADD | S64 | 9223372036854775807 | 1 | 9223372036854775807 + 1 does not fit a 64-bit index",
        "SUB | S32 | 0 | -2147483648 | 0 - (-2147483648) does not fit a 32-bit index",
        "MUL | S32 | 65536 | -65536 | 65536 * (-65536) does not fit a 32-bit index",
        "DIV | S32 | 7 | 0 | 7 / 0 divides by zero",
        "REM | S64 | -7 | 0 | -7 % 0 divides by zero",
        "DIV | S64 | -9223372036854775808 | -1 | -9223372036854775808 / (-1) does not fit a 64-bit index",
        "REM | S32 | -2147483648 | -1 | -2147483648 % (-1) does not fit a 32-bit index",
        "SHL | S32 | 1 | 31 | 1 << 31 does not fit a 32-bit index",
        "SHL | S64 | 3 | 62 | 3 << 62 does not fit a 64-bit index",
        "SHL | S32 | 1 | 32 | 1 << 32 shifts a 32-bit index by 32",
        "SHR | S32 | 1 | -1 | 1 >> (-1) shifts a 32-bit index by -1",
        "SHR | S64 | 1 | 64 | 1 >> 64 shifts a 64-bit index by 64"})
    void complaintsShowTheNumbers(Op op, IntType type, long a, long b, String message) {
        assertEquals(message, assertThrows(ArithmeticException.class, () -> Arithmetic.apply(op, type, a, b))
                .getMessage());
    }

    /** What C++ defines, in numbers of any size; nothing where it defines nothing. */
    private static Optional<BigInteger> exact(Op op, IntType type, BigInteger a, BigInteger b) {
        int width = type == IntType.S32 ? 32 : 64;
        boolean shifts = b.signum() >= 0 && b.compareTo(BigInteger.valueOf(width)) < 0;
        BigInteger value = switch (op) {
            case ADD -> a.add(b);
            case SUB -> a.subtract(b);
            case MUL -> a.multiply(b);
            case DIV, REM -> b.signum() == 0 || a.divide(b).bitLength() >= width ? null
                    : op == Op.DIV ? a.divide(b) : a.remainder(b);
            case MIN -> a.min(b);
            case MAX -> a.max(b);
            case AND -> a.and(b);
            case OR -> a.or(b);
            case XOR -> a.xor(b);
            case SHL -> shifts ? a.shiftLeft(b.intValue()) : null;
            case SHR -> shifts ? a.shiftRight(b.intValue()) : null;
        };
        return Optional.ofNullable(value).filter(v -> v.bitLength() < width);
    }

    private static long in(IntType type, long x) {
        return type == IntType.S32 ? (int) x : x;
    }

    @Provide
    Arbitrary<IntType> integers() {
        return Arbitraries.of(IntType.S32, IntType.S64);
    }

    /** Small numbers for divisors and shift distances, and numbers at the edges of both types. */
    @Provide
    Arbitrary<Long> operands() {
        Arbitrary<Long> edges = Arbitraries.of(0L, 1L << 31, 1L << 32, 1L << 62, 1L << 63, 46340L, 3037000499L);
        return Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(-70, 70),
                edges.flatMap(e -> Arbitraries.longs().between(-3, 3).map(d -> e + d)),
                Arbitraries.integers().map(Integer::longValue));
    }
}
