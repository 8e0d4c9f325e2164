package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.RowKernels;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a program of rows does without. */
class RowStepsTest {
    private static final Map<String, Long> EXTENTS = Map.of("columns", 4096L);

    private static String kernel(ValueType type) {
        String text = CudaEmitter.emit(RowKernels.softmax(type).lowered(Target.SM_90A, EXTENTS).program()).text();
        return text.substring(text.indexOf("__global__"));
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    @Test
    void warpsWaitOnceForEachExchange() {
        // One of the greatest, two of the sum: four accumulators' parts go to four warps, and come back.
        assertEquals(3, count(kernel(ValueType.F32), "__syncthreads();"));
    }

    @Test
    void aDivisionDoesNotAskWhatThePowersHaveSaid() {
        String kernel = kernel(ValueType.F32);
        assertEquals(4, count(kernel, "<= 41.0f"), kernel);
        assertEquals(1, count(kernel, "- 58720256u"), kernel);
    }

    @Test
    void halvesAreComparedTwoAtOnce() {
        for (ValueType type : new ValueType[] {ValueType.BF16, ValueType.F16}) {
            String kernel = kernel(type);
            // 32 pairs of a thread: for the greatest, and for the least, which says whether the shorter powers do.
            assertEquals(31, count(kernel, "value::pair_max_" + type), kernel);
            assertEquals(31, count(kernel, "value::pair_min_nan_" + type), kernel);
            assertEquals(2, count(kernel, "<= 41.0f"), kernel);
        }
        assertFalse(kernel(ValueType.F32).contains("pair"));
    }

    @Test
    void aRowThatIsWhereTheGridIsIsNotChecked() {
        assertFalse(kernel(ValueType.F32).contains("< rows"));
        String how = RowKernels.softmax(ValueType.F32).explain(Target.SM_90A, EXTENTS);
        assertTrue(how.contains("no checks: all elements are inside the tensor"), how);
        assertFalse(how.contains("checked before"), how);
    }

    @Test
    void rowsOfHalvesAreTakenByFewerThreads() {
        for (ValueType type : new ValueType[] {ValueType.F32, ValueType.BF16, ValueType.F16}) {
            assertEquals(type == ValueType.F32 ? 128 : 64, RowKernels.softmax(type).lowered(Target.SM_90A, EXTENTS)
                    .program().threads(), type.toString());
        }
        assertEquals(128, RowKernels.softmax(ValueType.BF16).lowered(Target.SM_90A, Map.of("columns", 2048L)).program()
                .threads());
    }
}
