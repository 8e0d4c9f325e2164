package dev.tilewright.program.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Target;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Which operations there are, the message for a missing operation, and constants. */
class ValueMathTest {

    @Test
    void whatIsNotThereIsRefusedWithWhatWouldDo() {
        refused("there is no arithmetic in e4m3: convert to f16 or f32", () -> ValueMath.binary(BinaryOp.ADD,
                ValueType.E4M3));
        refused("there is no arithmetic in tf32: convert to f32", () -> ValueMath.fma(ValueType.TF32));
        refused("sqrt is of floats, not of i32: convert to f32 or f64", () -> ValueMath.unary(UnaryOp.SQRT,
                ValueType.I32));
        refused("shl is of integers, not of f32: cast its bits to u32", () -> ValueMath.binary(BinaryOp.SHL,
                ValueType.F32));
        refused("mul_hi is of integers of 32 and 64 bits, not of u8: convert to u32",
                () -> ValueMath.binary(BinaryOp.MUL_HI, ValueType.U8));
        refused("there is no add of predicates: select a number by it", () -> ValueMath.binary(BinaryOp.ADD,
                ValueType.PRED));
        refused("fma is of floats: for u32 multiply and add", () -> ValueMath.fma(ValueType.U32));
        refused("ordered is of floats, not of u32: convert to f32 or f64",
                () -> ValueMath.compare(Comparison.ORDERED, ValueType.U32));
        refused("rounding to nearest, ties away from zero, is from f32 to tf32 alone, not from f32 to f16: round to "
                + "nearest even", () -> convert(ValueType.F32, ValueType.F16, Rounding.NEAREST_AWAY, false));
        refused("a number is not converted to a predicate: compare it with zero",
                () -> convert(ValueType.F32, ValueType.PRED, Rounding.NEAREST_EVEN, false));
        refused("to e4m3 a number is rounded to nearest even, not DOWN",
                () -> convert(ValueType.F32, ValueType.E4M3, Rounding.DOWN, false));
        refused("there is no conversion from e5m2 to i32: convert to f16 or f32 first, which is exact",
                () -> convert(ValueType.E5M2, ValueType.I32, Rounding.DOWN, false));
        refused("from f16 to f32 every number is kept: there is nothing to saturate",
                () -> convert(ValueType.F16, ValueType.F32, Rounding.NEAREST_EVEN, true));
    }

    @Test
    void everyTypeThatComputesHasTheFourRulesOfArithmetic() {
        for (ValueType type : ValueType.values()) {
            for (BinaryOp op : new BinaryOp[] {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV, BinaryOp.MIN}) {
                assertEquals(type.isArithmetic(), ValueMath.has(op, type), op + " " + type);
            }
            assertEquals(type.isFloat() && type.isArithmetic(), ValueMath.hasFma(type));
            assertEquals(type == ValueType.PRED || type.isInteger(), ValueMath.has(UnaryOp.NOT, type));
        }
    }

    @Test
    void constants() {
        assertEquals(0x3F80_0000L, ValueMath.constant(ValueType.F32, 1));
        assertEquals(0x8000L, ValueMath.constant(ValueType.F16, -0.0));
        assertEquals(0x3DCDL, ValueMath.constant(ValueType.BF16, 0.1));
        assertEquals(0x7EL, ValueMath.constant(ValueType.E4M3, 1e9));
        assertEquals(-128, ValueMath.constant(ValueType.I8, -128));
        assertEquals(1, ValueMath.constant(ValueType.PRED, 1));
        assertEquals(0x8000_0000_0000_0000L, ValueMath.constant(ValueType.U64, 0x1p63));
        assertEquals(1L << 62, ValueMath.constant(ValueType.I64, 0x1p62));
        refused("128.0 is no number of i8: its numbers are whole, from -128 to 127",
                () -> ValueMath.constant(ValueType.I8, 128));
        refused("0.5 is no number of u32: its numbers are whole, from 0 to 4294967295",
                () -> ValueMath.constant(ValueType.U32, 0.5));
        refused("2.0 is no number of pred: its numbers are 0 and 1", () -> ValueMath.constant(ValueType.PRED, 2));
        assertThrows(IllegalArgumentException.class, () -> ValueMath.constant(ValueType.I64, 0x1p63));
        assertThrows(IllegalArgumentException.class, () -> ValueMath.constant(ValueType.U64, 0x1p64));
        assertThrows(IllegalArgumentException.class, () -> ValueMath.constant(ValueType.U64, -1));
        assertThrows(IllegalArgumentException.class, () -> ValueMath.constant(ValueType.I32, Double.NaN));
    }

    @Test
    void fp8NeedsAda() {
        Gate gate = ValueGates.of(new Conversion(ValueType.F32, ValueType.E4M3, Rounding.NEAREST_EVEN, true));
        assertEquals("PTX 8.1 and sm_89 or later, or PTX 7.8 and sm_90 or later", gate.toString());
        assertFalse(gate.admits(Target.SM_86));
        assertTrue(gate.admits(Target.SM_90A));
        assertEquals(Gate.ANY, ValueGates.of(new Conversion(ValueType.F32, ValueType.BF16, Rounding.UP, true)));
    }

    private static Object convert(ValueType from, ValueType to, Rounding rounding, boolean saturate) {
        return ValueMath.convert(new Conversion(from, to, rounding, saturate));
    }

    private static void refused(String message, Supplier<?> call) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call::get).getMessage());
    }
}
