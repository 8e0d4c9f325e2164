package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * What the compiler is not shown, by each row of docs/verify-findings.md: shown again, the bytes are wrong on a GPU
 * alone. How each row's kernels compute is seen there, by {@code CompilerFindingsGpuTest}.
 */
class HiddenOperationsTest {
    private static String text(ValueType type, UnaryOperator<Value> function) {
        return CudaEmitter.emit(FunctionKernels.of("f", type, function)).text().replaceAll("\\s+", " ");
    }

    private static void hides(String hidden, ValueType type, UnaryOperator<Value> function) {
        String text = text(type, function);
        assertTrue(text.contains(hidden), () -> "no " + hidden + " in " + text);
    }

    /** Nor is there a call: it would cost an instruction. */
    private static void hidesNothing(ValueType type, UnaryOperator<Value> function) {
        String text = text(type, function);
        assertFalse(text.contains("value::opaque_"), text);
    }

    @Test
    void maxima() {
        hides("return value::opaque_i32(b > a ? b : a);", ValueType.I32, x -> x.min(7).max(0));
        hides("return (short)value::opaque_i32(b > a ? b : a);", ValueType.I16, x -> x.max(x));
        hides("= (value::opaque_i32((x_2 > 0) ? x_2 : 0));", ValueType.I32, x -> x.greaterThan(0)
                .choose(x, Value.i32(0)));
        hides("= (value::opaque_i32((0 < x_2) ? x_2 : 0));", ValueType.I32,
                x -> Value.i32(0).lessThan(x).choose(x, Value.i32(0)));
        hidesNothing(ValueType.U32, x -> x.min(7).max(0));
        hidesNothing(ValueType.I32, x -> x.min(7));
        hidesNothing(ValueType.I32, x -> x.greaterThan(0).choose(Value.i32(7), Value.i32(3)));
    }

    @Test
    void maximaOfIndices() {
        ExprText text = new ExprText(new NameScope());
        Expr index = Expr.Builtin.THREAD;
        assertTrue(text.of(index.min(7).max(0)).startsWith("(int)__byte_perm(max(min("), text.of(index.min(7).max(0)));
        assertFalse(text.of(index.max(0)).contains("perm"));
        assertFalse(text.of(index.min(7)).contains("perm"));
    }

    @Test
    void arithmeticOfFewBits() {
        hides("((short)value::opaque_i32((int)(0u - (unsigned)x_2)))", ValueType.I16, x -> x.negate());
        hides("((signed char)value::opaque_i32((int)(0u - (unsigned)x_2)))", ValueType.I8, x -> x.negate());
        hides("= ((short)value::opaque_i32((int)((unsigned)((short)value::opaque_i32((int)(int)0)) - (unsigned)x_2)));",
                ValueType.I16, x -> Value.i32(0).to(ValueType.I16).minus(x));
        hides("((short)value::opaque_i32((int)((unsigned)x_2 * (unsigned)", ValueType.I16,
                x -> x.times(Value.i32(-1).to(ValueType.I16)));
        hides("((short)value::opaque_i32((int)(int)((int)(0u - (unsigned)x_2))))", ValueType.I32,
                x -> x.negate().to(ValueType.I16).to(ValueType.I32));
        hidesNothing(ValueType.I32, x -> x.negate().plus(3).times(x));
    }

    @Test
    void absoluteValues() {
        hides("return value::opaque_i32(a < 0 ? ((int)(0u - (unsigned)a)) : a);", ValueType.I32, Value::abs);
        hides("return value::opaque_i64(a < 0 ? ((long long)(0ull - (unsigned long long)a)) : a);", ValueType.I64,
                Value::abs);
        hides("= (value::opaque_i32((x_2 < 0) ? ((int)(0u - (unsigned)x_2)) : x_2));", ValueType.I32,
                x -> x.lessThan(0).choose(x.negate(), x));
        hidesNothing(ValueType.F32, Value::abs);
    }

    @Test
    void minimaOfNumbersThatMayBeNone() {
        hides("= value::min_of_numbers_f32(x_2, value::opaque_f32(x_2));", ValueType.F32, x -> x.min(x));
        hides("= value::max_of_numbers_f16(x_2, value::opaque_b16(x_2));", ValueType.F16, x -> x.max(x));
        hidesNothing(ValueType.F32, x -> x.min(3));
    }

    @Test
    void unsignedNumbersOfFloats() {
        hides("__uint2float_rn(value::opaque_u32(__float2uint_rz(x_2)))", ValueType.F32,
                x -> x.to(ValueType.U32).to(ValueType.F32));
        hides("__uint2float_rn(value::opaque_u32(__float2uint_rn(x_2)))", ValueType.F32,
                x -> x.to(ValueType.U32, Rounding.NEAREST_EVEN).to(ValueType.F32));
        hidesNothing(ValueType.F32, x -> x.to(ValueType.I32).to(ValueType.F32));
    }

    @Test
    void wholeNumbersAndSigns() {
        hides("= value::opaque_f32(value::ceil_f32(", ValueType.F32, x -> x.negate().ceil());
        hides("= value::opaque_f32(value::floor_f32(x_2));", ValueType.F32, Value::floor);
        hides("= value::copy_sign_f32(x_2, value::opaque_f32(x_2));", ValueType.F32, x -> x.copySign(x));
        hidesNothing(ValueType.F32, x -> x.negate().remainder(x));
    }
}
