package dev.tilewright.bench.runtime;

import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The rivals' kernels ({@code kernels.cu}), of the same text. */
record RivalKernels(String source) {
    static final int ELEMENTS = 32;

    /** Those of {@code native-tests/rivals}, as they lie in the jar. */
    static RivalKernels packed() {
        try (InputStream in = RivalKernels.class.getResourceAsStream("/dev/tilewright/bench/rivals/kernels.cu")) {
            if (in == null) {
                throw new IllegalStateException("kernels.cu is not in the jar");
            }
            return new RivalKernels(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a launch costs by itself. */
    CudaFunction empty() {
        return CudaFunction.of("empty", source, ELEMENTS, List.of());
    }

    /** Adds products to a total: four arguments. */
    CudaFunction accumulate() {
        return CudaFunction.of("accumulate", source, ELEMENTS, List.of(new Parameter.Pointer("total", true),
                new Parameter.Pointer("in", false), new Parameter.Int("factor", IntType.S32),
                new Parameter.Int("n", IntType.S32)));
    }

    /** Adds a value to each 32-bit word of a slab. */
    CudaFunction add() {
        return CudaFunction.of("add", source, 256, List.of(new Parameter.Pointer("in", false),
                new Parameter.Pointer("out", true), new Parameter.Int("value", IntType.S32),
                new Parameter.Int("n", IntType.S64)));
    }

    /** Adds a value to each 32-bit word of a slab many times: takes longer than the slab's copies. */
    CudaFunction addOften() {
        return CudaFunction.of("add_often", source, 256, List.of(new Parameter.Pointer("in", false),
                new Parameter.Pointer("out", true), new Parameter.Int("value", IntType.S32),
                new Parameter.Int("n", IntType.S64), new Parameter.Int("times", IntType.S32)));
    }
}
