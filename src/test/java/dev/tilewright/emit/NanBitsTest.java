package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.RowKernels;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** One NaN is put in the place of all only where it can be seen which it is. */
class NanBitsTest {
    private static final String ONE_NAN = "value::add_f64(";
    private static final String ANY = "__dadd_rn(x";

    /** How often the kernel adds with either, outside of the function that makes one of the other. */
    private static String counts(UnaryOperator<Value> function) {
        String text = CudaEmitter.emit(FunctionKernels.of("f", ValueType.F64, function)).text();
        return count(text, ONE_NAN) + " and " + count(text, ANY) + " any";
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    private static Value sum(Value x) {
        return x.plus(x);
    }

    @Test
    void ofWhatIsStored() {
        assertEquals("1 and 0 any", counts(x -> sum(x)));
        assertEquals("1 and 0 any", counts(x -> sum(x).negate().abs()));
        assertEquals("1 and 0 any", counts(x -> x.lessThan(3).choose(sum(x), x)));
        assertEquals("1 and 0 any", counts(x -> sum(x).copySign(x)));
    }

    @Test
    void notOfWhatIsCalculatedWith() {
        assertEquals("0 and 1 any", counts(x -> sum(x).times(x)));
        assertEquals("0 and 1 any", counts(x -> sum(x).negate().sqrt()));
        assertEquals("0 and 1 any", counts(x -> x.fma(x, sum(x))));
        assertEquals("0 and 1 any", counts(x -> sum(x).to(ValueType.F32).to(ValueType.F64)));
        assertEquals("0 and 1 any", counts(x -> sum(x).lessThan(3).choose(x, x.minus(1))));
        assertEquals("0 and 1 any", counts(x -> x.lessThan(3).choose(sum(x), x).dividedBy(x)));
    }

    @Test
    void ofBitsAndSigns() {
        assertEquals("1 and 0 any", counts(x -> sum(x).bitCast(ValueType.U64).shiftRight(1).to(ValueType.F64)));
        assertEquals("1 and 0 any", counts(x -> x.copySign(sum(x)).times(x)));
        assertEquals("0 and 1 any", counts(x -> sum(x).copySign(x).times(x)));
    }

    @Test
    void throughConversionsThatMoveBits() {
        assertEquals("1 and 0 any", counts(x -> sum(x).to(ValueType.F64)));
        assertEquals("0 and 1 any", counts(x -> sum(x).to(ValueType.F64).times(x)));
        assertEquals("0 and 1 any", counts(x -> sum(x).to(ValueType.BF16).to(ValueType.F32).to(ValueType.F64)));
    }

    @Test
    void whatIsBoundByANumberIsNone() {
        assertEquals("0 and 1 any", counts(x -> sum(x).min(3)));
        assertEquals("0 and 1 any", counts(x -> Value.f64(-1).max(sum(x)).min(x)));
        String bound = CudaEmitter.emit(FunctionKernels.of("f", ValueType.F32, x -> x.max(0))).text();
        assertEquals(0, count(bound, "prmt"));
        String others = CudaEmitter.emit(FunctionKernels.of("f", ValueType.F32, x -> x.max(x))).text();
        assertEquals(1, count(others, "prmt"));
    }

    /** A thread's elements of a row that are compared with each other may be any NaN; what it exchanges may not. */
    @Test
    void namesOfAProgramByTheirUses() {
        String text = CudaEmitter.emit(RowKernels.softmax(ValueType.F32).lowered(Target.SM_90A,
                Map.of("columns", 4096L)).program()).text();
        String kernel = text.substring(text.indexOf("__global__"));
        assertEquals(31 + 3 + 5, count(kernel, "value::max_of_numbers_f32("));
        // Of the first exchange between warps on: what is stored and shuffled can be seen.
        assertEquals(1 + 5, count(kernel, "value::opaque_f32("), kernel);
    }

    @Test
    void namesOfFunctionsByTheirUses() {
        assertEquals("0 and 1 any", counts(named(v -> v.times(v))));
        assertEquals("1 and 0 any", counts(named(v -> v.times(v).minus(v.bitCast(ValueType.I64).to(ValueType.F64)))));
        assertEquals("1 and 0 any", counts(named(v -> v)));
    }

    private static UnaryOperator<Value> named(UnaryOperator<Value> use) {
        ValueFunction f = ValueFunction.of("g", "names a sum", ValueType.F64,
                (lets, x) -> use.apply(lets.let("v", sum(x))));
        return x -> f.of(x);
    }
}
