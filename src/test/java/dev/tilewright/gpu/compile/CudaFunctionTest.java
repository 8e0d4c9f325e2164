package dev.tilewright.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class CudaFunctionTest {

    @Test
    void optionsReplaceTheOnesBefore() {
        CudaFunction function = CudaFunction.of("f", "extern \"C\" __global__ void f() {}", 32, List.of())
                .withOptions("-lineinfo", "--fmad=false").withOptions("-G");
        assertEquals(List.of("-G"), function.options());
        assertEquals("options: element 1 is null", assertThrows(IllegalArgumentException.class,
                () -> function.withOptions("-G", null)).getMessage());
    }
}
