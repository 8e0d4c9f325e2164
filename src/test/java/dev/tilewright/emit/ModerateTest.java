package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** One over a number is found without a look at it only where what it is lies between two constants. */
class ModerateTest {
    private static boolean isWithoutALook(ValueType type, UnaryOperator<Value> function) {
        String text = CudaEmitter.emit(FunctionKernels.of("f", type, function)).text();
        return text.substring(text.indexOf("__global__")).contains("value::near_reciprocal_f32(");
    }

    private static boolean isWithoutALook(UnaryOperator<Value> function) {
        return isWithoutALook(ValueType.F32, function);
    }

    @Test
    void betweenConstants() {
        assertEquals(true, isWithoutALook(x -> x.min(32).max(1).reciprocal()));
        assertEquals(true, isWithoutALook(x -> x.min(0x1p125).max(0x1p-125).reciprocal()));
    }

    @Test
    void notWithoutBoth() {
        assertEquals(false, isWithoutALook(Value::reciprocal));
        assertEquals(false, isWithoutALook(x -> x.max(1).reciprocal()));
        assertEquals(false, isWithoutALook(x -> x.min(32).reciprocal()));
        assertEquals(false, isWithoutALook(x -> x.max(1).min(32).reciprocal()));
    }

    @Test
    void notBeyondModerateNumbers() {
        assertEquals(false, isWithoutALook(x -> x.min(0x1p126).max(1).reciprocal()));
        assertEquals(false, isWithoutALook(x -> x.min(32).max(0x1p-126).reciprocal()));
        assertEquals(false, isWithoutALook(x -> x.min(32).max(0).reciprocal()));
        assertEquals(false, isWithoutALook(x -> x.min(32).max(-1).reciprocal()));
        assertEquals(false, isWithoutALook(x -> x.min(Double.NaN).max(1).reciprocal()));
    }

    @Test
    void notOfOtherTypes() {
        assertEquals(false, isWithoutALook(ValueType.F64, x -> x.min(32).max(1).reciprocal()));
    }

    @Test
    void theSignOfWhatIsCalculatedWithCostsNothing() {
        String text = CudaEmitter.emit(FunctionKernels.of("f", ValueType.F32, x -> x.negate().fma(x, x))).text();
        assertEquals(true, text.contains("__fmaf_rn((-x"), text);
        String stored = CudaEmitter.emit(FunctionKernels.of("f", ValueType.F32, Value::negate)).text();
        assertEquals(true, stored.contains("xor.b32"), stored);
    }
}
