package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The type that two values of different types are advised to be converted to: it holds every value of both. */
class CommonTypeTest {
    private static final Pattern ADVICE = Pattern.compile("with to\\((\\w+)\\)");

    @Test
    void adviceLosesNothing() {
        Map<ValueType, Set<ValueType>> keepers = new EnumMap<>(ValueType.class);
        for (ValueType from : ValueType.values()) {
            keepers.put(from, EnumSet.noneOf(ValueType.class));
            Arrays.stream(ValueType.values()).filter(to -> keeps(from, to)).forEach(keepers.get(from)::add);
        }
        int advised = 0;
        for (ValueType left : ValueType.values()) {
            for (ValueType right : ValueType.values()) {
                if (left != right) {
                    Matcher advice = ADVICE.matcher(refusal(left, right));
                    Set<ValueType> both = EnumSet.copyOf(keepers.get(left));
                    both.retainAll(keepers.get(right));
                    boolean found = advice.find();
                    advised += found ? 1 : 0;
                    assertEquals(!both.isEmpty(), found, () -> left + " and " + right + ": " + both);
                    assertTrue(!found || both.contains(ValueType.valueOf(advice.group(1))),
                            () -> left + " and " + right + ": " + advice.group() + ", but " + both);
                }
            }
        }
        assertTrue(advised > 150, "only " + advised);
    }

    @Test
    void theAdviceNamesWhatToConvert() {
        assertEquals("select takes values of one type, got i8 and u32: convert both, with to(I64), which loses "
                + "nothing, or one, which may lose bits", refusal(ValueType.I8, ValueType.U32));
        assertEquals("select takes values of one type, got f32 and i8: convert the i8, with to(F32)",
                refusal(ValueType.F32, ValueType.I8));
        assertEquals("select takes values of one type, got u64 and i64: convert one, which may lose bits",
                refusal(ValueType.U64, ValueType.I64));
        assertEquals("select takes values of one type, got pred and f32: select one of two numbers by the predicate",
                refusal(ValueType.PRED, ValueType.F32));
    }

    private static String refusal(ValueType left, ValueType right) {
        Value condition = new Value.Const(ValueType.PRED, 1);
        return assertThrows(IllegalArgumentException.class, () -> new Value.Select(condition, new Value.Const(left, 0),
                new Value.Const(right, 0))).getMessage();
    }

    /** Whether each of many words is the same number after its conversion, if there is one. */
    private static boolean keeps(ValueType from, ValueType to) {
        if (from == to) {
            return true;
        }
        Conversion conversion = new Conversion(from, to, from.isFloat() && to.isInteger() ? Rounding.TOWARDS_ZERO
                : Rounding.NEAREST_EVEN, false);
        try {
            ValueMath.require(conversion);
        } catch (IllegalArgumentException e) {
            return false;
        }
        return words(from).allMatch(word -> number(from, word)
                .equals(number(to, ValueMath.convert(conversion).applyAsLong(word))));
    }

    /** Bits of one run of ones, and of one run of zeros. */
    private static LongStream words(ValueType type) {
        long counted = type == ValueType.TF32 ? -1L << 13 : -1L;
        return IntStream.range(0, type.bits()).boxed().flatMapToLong(high -> IntStream.rangeClosed(0, high)
                .mapToLong(low -> (1L << high) - (1L << low) + (1L << high)))
                .flatMap(bits -> LongStream.of(bits, ~bits)).map(bits -> type.word(bits & counted)).distinct();
    }

    private static Object number(ValueType type, long word) {
        if (!type.isFloat()) {
            BigInteger number = BigInteger.valueOf(word);
            return new BigDecimal(type == ValueType.U64 && word < 0 ? number.add(BigInteger.TWO.pow(64)) : number)
                    .stripTrailingZeros();
        }
        ValueType from = type == ValueType.TF32 ? ValueType.F32 : type;
        double number = Double.longBitsToDouble(from == ValueType.F64 ? word : ValueMath.convert(new Conversion(from,
                ValueType.F64, Rounding.NEAREST_EVEN, false)).applyAsLong(word));
        return Double.isFinite(number) ? new BigDecimal(number).stripTrailingZeros() : number;
    }
}
