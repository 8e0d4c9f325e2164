package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.Reference;
import dev.tilewright.verify.Difference;
import dev.tilewright.verify.DirectStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps of one's own: in every builder, of several arrays, with scalars, to another type; what is refused, and how. */
class OwnStepTest {
    private static final Value SCALE = new Parameter.Scalar("scale", ElementType.F32).value();
    private static final Value BIAS = new Parameter.Scalar("bias", ElementType.F32).value();

    /** A step between types. @param scalars what a launch gives it */
    private record Case(String name, ElementType from, ElementType to, ElementStep step, Scalars scalars) {
        @Override
        public String toString() {
            return name + " " + from + " to " + to;
        }
    }

    private static List<Case> cases() {
        return List.of(
                new Case("relu", ElementType.F32, ElementType.F32, ElementStep.of(x -> x.times(SCALE).plus(BIAS).max(0)),
                        Scalars.of("scale", 1.5).and("bias", -0.25f)),
                new Case("axpy", ElementType.F32, ElementType.F32, ElementStep.of((x, y) -> x.fma(SCALE, y)),
                        Scalars.of("scale", 2)),
                new Case("three", ElementType.F16, ElementType.F16,
                        ElementStep.of(3, x -> x.get(0).times(x.get(1)).plus(x.get(2))), Scalars.NONE),
                new Case("copy", ElementType.F32, ElementType.BF16, ElementStep.COPY, Scalars.NONE),
                new Case("normalised", ElementType.U8, ElementType.F32,
                        ElementStep.of(x -> x.to(ValueType.F32).times(SCALE)), Scalars.of("scale", 1.0 / 255)),
                new Case("quantised", ElementType.F32, ElementType.I8,
                        ElementStep.of(x -> x.times(SCALE).roundEven().toSaturating(ValueType.I8)), Scalars.of("scale", 40)),
                new Case("mean", ElementType.BF16, ElementType.F32, ElementStep.of((x, y) -> x.plus(y).times(0.5)),
                        Scalars.NONE),
                new Case("bits", ElementType.U32, ElementType.F32,
                        ElementStep.of(x -> x.shiftRight(9).or(Value.u32(0x3F800000)).bitCast(ValueType.F32).minus(1)),
                        Scalars.NONE));
    }

    private record Built(Case of, TileKernel kernel, List<Long> shape) {
        @Override
        public String toString() {
            return kernel.program().name() + ", " + of;
        }
    }

    private static final List<Function<Case, Built>> BUILDERS = List.of(
            c -> new Built(c, with(VectorCopy.of(c.from).tile(64).threads(32).loads(2), c), List.of(1003L)),
            c -> new Built(c, with(CpAsyncPipeline.of(c.from).tile(128).threads(32).stages(3), c), List.of(1003L)),
            c -> new Built(c, with(CpAsyncPipeline.of(c.from).tile(6, 32).threads(32).stages(2).copyBytes(8), c), List.of(29L, 88L)),
            c -> new Built(c, with(BulkCopy.of(c.from).tile(96).threads(32).stages(2), c), List.of(1003L)),
            c -> new Built(c, with(BulkCopy.of(c.from).tile(96).threads(32).barrierWait(BarrierWait.TOKEN), c), List.of(1003L)),
            c -> new Built(c, with(TensorCopy.of(c.from).tile(32).threads(32).stages(2), c), List.of(1003L)),
            c -> new Built(c, with(TensorCopy.of(c.from).tile(4, 32 / c.from.bytes()).swizzle(Swizzle.B32).threads(32), c), List.of(13L, 80L)),
            c -> new Built(c, with(TensorCopy.of(c.from).tile(2, 3, 64 / c.from.bytes()).unswizzle(Unswizzle.STEP).threads(32), c),
                    List.of(5L, 4L, 80L)));

    private static <B extends KernelBuilder<B>> TileKernel with(B builder, Case c) {
        return builder.step(c.step).resultType(c.to).build();
    }

    static Stream<Built> kernels() {
        return cases().stream().flatMap(c -> BUILDERS.stream().map(b -> b.apply(c)));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void everyBuilderComputesWhatADirectComputationDoes(Built built) {
        Case c = built.of;
        try (Arena arena = Arena.ofShared()) {
            long elements = built.shape.stream().reduce(1L, (a, b) -> a * b);
            List<MemorySegment> sources = sources(arena, c, elements);
            MemorySegment result = arena.allocate(elements * c.to.bytes() + 64, 128).fill((byte) 0xCD);
            List<MemorySegment> buffers = new ArrayList<>(sources);
            buffers.add(result);
            for (int each : List.of(1, 4)) {
                Reference.run(built.kernel.launch(built.shape, c.scalars, GridPolicy.tilesEach(each)), buffers);
                MemorySegment expected = arena.allocate(elements * c.to.bytes());
                DirectStep.apply(c.step, c.from, c.to, c.scalars.bits(built.kernel.scalars()), sources, expected);
                assertEquals(Optional.empty(), Difference.between(expected, result.asSlice(0, expected.byteSize()))
                        .map(d -> d.describe(c.to, built.shape)));
                for (long i = expected.byteSize(); i < result.byteSize(); i++) {
                    assertEquals((byte) 0xCD, result.get(ValueLayout.JAVA_BYTE, i), "behind the result");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void everyAccessIsOrdered(Built built) {
        Launch launch = built.kernel.launch(built.shape, built.of.scalars, GridPolicy.tilesEach(7));
        try (Arena arena = Arena.ofShared()) {
            long elements = built.shape.stream().reduce(1L, (a, b) -> a * b);
            List<MemorySegment> buffers = new ArrayList<>(sources(arena, built.of, elements));
            buffers.add(arena.allocate(elements * built.of.to.bytes(), 128));
            HazardReport report = HazardCheck.check(launch, buffers);
            assertTrue(report.isClean(), report::toString);
        }
    }

    private static List<MemorySegment> sources(Arena arena, Case c, long elements) {
        List<MemorySegment> sources = new ArrayList<>();
        for (int i = 0; i < c.step.inputs(); i++) {
            byte[] bytes = new byte[(int) elements * c.from.bytes()];
            new Random(i).nextBytes(bytes);
            sources.add(arena.allocate(bytes.length, 128).copyFrom(MemorySegment.ofArray(bytes)));
        }
        return sources;
    }

    /** Known numbers, so that not everything that computes is held against something that shares its mistakes. */
    @Test
    void numbersThatAreKnown() {
        CpAsyncPipeline.Builder builder = CpAsyncPipeline.of(ElementType.F32);
        Value bias = builder.scalar("bias", ElementType.F32);
        TileKernel kernel = builder.step((x, y) -> x.times(y).plus(bias).max(0)).resultType(ElementType.I16).build();
        MemorySegment result = MemorySegment.ofArray(new short[5]);
        Reference.run(kernel.launch(List.of(5L), Scalars.of("bias", 1)), List.of(
                MemorySegment.ofArray(new float[] {1, 2, -3, 1e9f, 0.5f}),
                MemorySegment.ofArray(new float[] {10, -20, 30, 1e9f, 0.75f}), result));
        assertEquals(List.of((short) 11, (short) 0, (short) 0, Short.MAX_VALUE, (short) 1),
                Stream.of(0, 1, 2, 3, 4).map(i -> result.getAtIndex(ValueLayout.JAVA_SHORT, i)).toList());
    }

    @Test
    void generatedCodeHasTheStepOnce() {
        TileKernel kernel = with(VectorCopy.of(ElementType.F32), cases().getFirst());
        String text = CudaEmitter.emit(kernel.program()).text();
        assertTrue(text.contains("return fmaxf(__fadd_rn(__fmul_rn(x, scale), bias), 0.0f);")
                || text.contains("(__fadd_rn(__fmul_rn(x, scale), bias), 0.0f)"), text);
        assertTrue(text.contains("float step_f32(const float x, const float scale, const float bias) {"), text);
        assertEquals(List.of("scale", "bias"), kernel.scalars().stream().map(Parameter.Scalar::name).toList());
    }

    @Test
    void whatDoesNotGoTogether() {
        TileKernel kernel = with(VectorCopy.of(ElementType.F32), cases().getFirst());
        refused("the step's scalar 'bias' of type f32 has no value: give one, with Scalars.of(\"bias\", ...)",
                () -> kernel.launch(List.of(4L), Scalars.of("scale", 1)));
        refused("the step has no scalar 'factor'; it has scale, bias", () -> kernel.launch(List.of(4L), Scalars.of("factor", 1)));
        refused("the step's scalar 'scale' of type f32 has no value: give one, with Scalars.of(\"scale\", ...)",
                () -> kernel.launch(List.of(4L), 0));
        refused("the scalar 'scale' is given twice", () -> Scalars.of("scale", 1).and("scale", 2));
        refused("the scalar '1.0E300' is beyond the largest f32, 3.4028235E38: write inf if infinity is meant",
                () -> kernel.launch(List.of(4L), Scalars.of("scale", 1e300).and("bias", 1)));
        refused("vector-copy of f32: the step 'step' has two scalars named 's', of types f32 and f64: name one otherwise",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.times(new Parameter.Scalar("s", ElementType.F32).value())
                        .plus(new Parameter.Scalar("s", ElementType.F64).value().to(ValueType.F32))).build());
        refused("vector-copy of f32: the step 'step' has an index expression in it: a step computes with elements, constants "
                        + "(Value.i32, Value.f32) and scalars alone, the same at every place",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.plus(Value.of(Expr.Builtin.THREAD).to(ValueType.F32))).build());
        refused("vector-copy of f32: add takes values of one type, got f32 and i32: convert one, with to(F32)",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.plus(Value.i32(1))).build());
        refused("vector-copy of f32: there is no conversion",
                () -> VectorCopy.of(ElementType.F32).step(x -> x.lessThan(0)).build());
        assertEquals("a step takes the elements of 1 to 8 arrays, got 9", assertThrows(IllegalArgumentException.class,
                () -> ElementStep.of(9, List::getFirst)).getMessage());
        assertTrue(assertThrows(BadRequestException.class, () -> TensorRebind.of(ElementType.F32).step((x, y) -> x.plus(y)).build())
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
        refused("the scalar for elements of type u8 must be in [0, 255], got 256", () -> Scalars.of("one", 256).bits(List.of(one)));
        refused("elements of type u8 take a whole number as scalar, got '0.5'", () -> Scalars.of("one", 0.5).bits(List.of(one)));
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
