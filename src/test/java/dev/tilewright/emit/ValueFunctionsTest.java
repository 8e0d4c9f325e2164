package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** How operations on values are spelled, and which functions stand before them. */
class ValueFunctionsTest {
    private static final Pattern CALL = Pattern.compile("value::(\\w+)\\(");
    private static final Pattern DEFINED = Pattern.compile("__device__ __forceinline__ .*?(\\w+)\\(");
    /**
     * An operator between two floats that a compiler might contract; on integers and in comparisons there is no such
     * thing.
     */
    private static final Pattern CONTRACTED =
            Pattern.compile("\\b(mul|add|sub|fma|div|sqrt|rcp)\\.(f16|bf16|f32|f64)\\b");

    private final ValueFunctions functions = new ValueFunctions();

    @Test
    void whatThereAreIntrinsicsForIsSpelledByThem() {
        assertEquals("__fadd_rn(a, b)", functions.binary(BinaryOp.ADD, ValueType.F32, "a", "b", true));
        assertEquals("__fmaf_rn(a, b, c)", functions.fma(ValueType.F32, "a", "b", "c", true));
        assertEquals("((int)((unsigned)a + (unsigned)b))",
                functions.binary(BinaryOp.ADD, ValueType.I32, "a", "b", true));
        assertEquals("(a * b)", functions.binary(BinaryOp.MUL, ValueType.U32, "a", "b", true));
        assertEquals("(a < b)", functions.compare(Comparison.LT, ValueType.F32, "a", "b"));
        assertEquals("__float2int_rd(a)", convert(ValueType.F32, ValueType.I32, Rounding.DOWN));
        assertEquals("__uint_as_float((unsigned)a << 16)", convert(ValueType.BF16, ValueType.F32,
                Rounding.NEAREST_EVEN));
        assertEquals("__float_as_uint(a)", functions.bitCast(ValueType.F32, ValueType.U32, "a"));
        assertEquals("a", functions.bitCast(ValueType.F16, ValueType.U16, "a"));
        assertEquals(List.of(), functions.definitions());
    }

    @Test
    void constantsAreReadBackAsThemselves() {
        assertEquals("1.0f", functions.constant(ValueType.F32, 0x3F80_0000L));
        assertEquals("(-0.0f)", functions.constant(ValueType.F32, 0x8000_0000L));
        assertEquals("__uint_as_float(0x7f800000u)", functions.constant(ValueType.F32, 0x7F80_0000L));
        assertEquals("__uint_as_float(0x1u)", functions.constant(ValueType.F32, 1));
        assertEquals("((unsigned short)0x3c00)", functions.constant(ValueType.F16, 0x3C00));
        assertEquals("(-2147483647 - 1)", functions.constant(ValueType.I32, Integer.MIN_VALUE));
        assertEquals("18446744073709551615ull", functions.constant(ValueType.U64, -1));
        assertEquals("((signed char)(-3))", functions.constant(ValueType.I8, -3));
        assertEquals("true", functions.constant(ValueType.PRED, 1));
    }

    @Test
    void aFunctionStandsOnceAndBehindWhatItCalls() {
        for (ValueCase c : ValueCase.all()) {
            c.expression().of(functions);
        }
        for (ApproximateOp op : ApproximateOp.values()) {
            functions.approximate(op, "a");
        }
        Set<String> before = new HashSet<>();
        for (List<String> lines : functions.definitions()) {
            String text = String.join("\n", lines);
            Matcher called = CALL.matcher(text);
            while (called.find()) {
                assertTrue(before.contains(called.group(1)), text);
            }
            Matcher defined = DEFINED.matcher(text);
            assertTrue(defined.find(), text);
            assertTrue(before.add(defined.group(1)), text);
        }
        assertTrue(before.size() > 200, () -> before.size() + " functions");
    }

    @Test
    void noInstructionLeavesItsRoundingToTheCompiler() {
        for (ValueCase c : ValueCase.all()) {
            String text = c.expression().of(functions);
            if (c.output().isFloat() && c.inputs().getLast().isFloat()) {
                assertFalse(text.matches(".*\\b[xyz] [-+*/] [xyz]\\b.*"), text);
            }
        }
        functions.definitions().forEach(lines -> {
            String text = String.join("\n", lines);
            assertFalse(CONTRACTED.matcher(text).find(), text);
            if (text.contains("float ") || text.contains("double ")) {
                assertFalse(text.matches("(?s).*return [ab] [-+*/] [ab];.*"), text);
            }
        });
    }

    @Test
    void whatIsNotThereIsRefused() {
        assertThrows(IllegalArgumentException.class,
                () -> functions.binary(BinaryOp.ADD, ValueType.TF32, "a", "b", true));
        assertThrows(IllegalArgumentException.class, () -> functions.fma(ValueType.I32, "a", "b", "c", true));
        assertThrows(IllegalArgumentException.class, () -> convert(ValueType.I32, ValueType.E4M3,
                Rounding.NEAREST_EVEN));
    }

    private String convert(ValueType from, ValueType to, Rounding rounding) {
        return functions.convert(new Conversion(from, to, rounding, false), "a");
    }
}
