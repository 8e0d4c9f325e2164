package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps of one's own: in every builder, of several arrays, with scalars, to another type; what is refused, and how. */
class OwnStepTest {
    static Stream<StepCase> kernels() {
        return StepCase.all();
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("kernels")
    void everyBuilderComputesWhatADirectComputationDoes(StepCase c) {
        CaseDevice reference = CaseDevice.reference(ReferenceOptions.DEFAULT);
        try (Arena arena = Arena.ofShared()) {
            assertEquals(Optional.empty(), c.run(reference, arena, 1));
            assertEquals(Optional.empty(), c.run(reference, arena, 4));
        }
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("kernels")
    void everyAccessIsOrdered(StepCase c) {
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> buffers = new ArrayList<>(c.sources(arena));
            buffers.add(arena.allocate(c.resultBytes(), 128));
            HazardReport report = HazardCheck.check(c.launch(7), buffers);
            assertTrue(report.isClean(), report::toString);
        }
    }

    /** Known numbers, so that not everything that computes is held against something that shares its mistakes. */
    @Test
    void numbersThatAreKnown() {
        CpAsyncPipeline.Builder builder = CpAsyncPipeline.of(ElementType.F32);
        Value bias = builder.scalar("bias", ElementType.F32);
        ElementwiseKernel kernel = builder.step((x, y) -> x.times(y).plus(bias).max(0)).resultType(ElementType.I16)
                .build();
        MemorySegment result = MemorySegment.ofArray(new short[5]);
        Reference.run(kernel.launch(List.of(5L), Scalars.of("bias", 1)), List.of(
                MemorySegment.ofArray(new float[] {1, 2, -3, 1e9f, 0.5f}),
                MemorySegment.ofArray(new float[] {10, -20, 30, 1e9f, 0.75f}), result));
        assertEquals(List.of((short) 11, (short) 0, (short) 0, Short.MAX_VALUE, (short) 1),
                Stream.of(0, 1, 2, 3, 4).map(i -> result.getAtIndex(ValueLayout.JAVA_SHORT, i)).toList());
    }

    private static ElementwiseKernel relu() {
        VectorCopy.Builder builder = VectorCopy.of(ElementType.F32);
        Value scale = builder.scalar("scale", ElementType.F32);
        Value bias = builder.scalar("bias", ElementType.F32);
        return builder.step(x -> x.times(scale).plus(bias).max(0)).build();
    }

    @Test
    void generatedCodeHasTheStepOnce() {
        ElementwiseKernel kernel = relu();
        String text = CudaEmitter.emit(kernel.program()).text();
        assertTrue(text.contains("return fmaxf(__fadd_rn(__fmul_rn(x, scale), bias), 0.0f);")
                || text.contains("(__fadd_rn(__fmul_rn(x, scale), bias), 0.0f)"), text);
        assertTrue(text.contains("float step_f32(const float x, const float scale, const float bias) {"), text);
        assertEquals(List.of("scale", "bias"), kernel.scalars().stream().map(Parameter.Scalar::name).toList());
    }

    @Test
    void whatDoesNotGoTogether() {
        ElementwiseKernel kernel = relu();
        refused("the step's scalar 'bias' of type f32 has no value: give one, with Scalars.of(\"bias\", ...)",
                () -> kernel.launch(List.of(4L), Scalars.of("scale", 1)));
        refused("the step has no scalar 'factor'; it has scale, bias",
                () -> kernel.launch(List.of(4L), Scalars.of("factor", 1)));
        refused("the step's scalar 'scale' of type f32 has no value: give one, with Scalars.of(\"scale\", ...)",
                () -> kernel.launch(List.of(4L), 0));
        refused("the scalar 'scale' is given twice", () -> Scalars.of("scale", 1).and("scale", 2));
        refused("the scalar '1.0E300' is beyond the largest f32, 3.4028235E38: write inf if infinity is meant",
                () -> kernel.launch(List.of(4L), Scalars.of("scale", 1e300).and("bias", 1)));
        refused("vector-copy of f32: the step 'step' has two scalars named 's', of types f32 and f64: name one "
                + "otherwise", () -> VectorCopy.of(ElementType.F32)
                .step(x -> x.times(new Parameter.Scalar("s", ElementType.F32).value())
                        .plus(new Parameter.Scalar("s", ElementType.F64).value().to(ValueType.F32))).build());
        refused("vector-copy of f32: the step 'step' has an index expression in it: a step computes with elements, "
                + "constants "
                        + "(Value.i32, Value.f32) and scalars alone, the same at every place",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.plus(Value.of(Expr.Builtin.THREAD).to(ValueType.F32)))
                .build());
        refused("vector-copy of f32: add takes values of one type, got f32 and i32: convert both, with to(F64), "
                + "which loses nothing, or one, which may lose bits",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.plus(Value.i32(1))).build());
        refused("vector-copy of f32: there is no conversion",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.lessThan(0)).build());
        assertEquals("a step takes the elements of 1 to 8 arrays, got 9", assertThrows(IllegalArgumentException.class,
                () -> ElementStep.of(9, List::getFirst)).getMessage());
        assertTrue(assertThrows(BadRequestException.class, () -> TensorRebind.of(ElementType.F32)
                .step((x, y) -> x.plus(y)).build())
                .getMessage().endsWith("use tensor-copy"));
    }

    private static void refused(String message, Runnable request) {
        String said = assertThrows(BadRequestException.class, request::run).getMessage();
        if (message.endsWith("there is no conversion")) {
            assertTrue(said.contains("predicate"), said);
        } else {
            assertEquals(message, said);
        }
    }

    @Test
    void scalarsOfEveryType() {
        for (ElementType type : ElementType.values()) {
            Parameter.Scalar scalar = new Parameter.Scalar("s", type);
            assertEquals(Map.of(scalar, bits(type)), Scalars.of("s", 3).bits(List.of(scalar)));
        }
        Parameter.Scalar one = new Parameter.Scalar("one", ElementType.U8);
        refused("the scalar for elements of type u8 must be in [0, 255], got 256",
                () -> Scalars.of("one", 256).bits(List.of(one)));
        refused("elements of type u8 take a whole number as scalar, got '0.5'",
                () -> Scalars.of("one", 0.5).bits(List.of(one)));
        assertEquals(7L, Scalars.ofBits("one", 7).bits(List.of(one)).get(one));
    }

    private static long bits(ElementType type) {
        return switch (type) {
            case F16 -> 0x4200;
            case BF16 -> 0x4040;
            case F32 -> 0x40400000;
            case F64 -> 0x4008000000000000L;
            default -> 3;
        };
    }
}
