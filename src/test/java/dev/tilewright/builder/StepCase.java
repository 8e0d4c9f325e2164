package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.Difference;
import dev.tilewright.verify.DirectStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;

/** Steps of one's own in every builder, and the arrays that each is tried on: for any device. */
public final class StepCase {
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
                new Case("relu", ElementType.F32, ElementType.F32,
                ElementStep.of(x -> x.times(SCALE).plus(BIAS).max(0)),
                        Scalars.of("scale", 1.5).and("bias", -0.25f)),
                new Case("axpy", ElementType.F32, ElementType.F32, ElementStep.of((x, y) -> x.fma(SCALE, y)),
                        Scalars.of("scale", 2)),
                new Case("three", ElementType.F16, ElementType.F16,
                        ElementStep.of(3, x -> x.get(0).times(x.get(1)).plus(x.get(2))), Scalars.NONE),
                new Case("copy", ElementType.F32, ElementType.BF16, ElementStep.COPY, Scalars.NONE),
                new Case("normalised", ElementType.U8, ElementType.F32,
                        ElementStep.of(x -> x.to(ValueType.F32).times(SCALE)), Scalars.of("scale", 1.0 / 255)),
                new Case("quantised", ElementType.F32, ElementType.I8,
                        ElementStep.of(x -> x.times(SCALE).roundEven().toSaturating(ValueType.I8)),
                        Scalars.of("scale", 40)),
                new Case("mean", ElementType.BF16, ElementType.F32, ElementStep.of((x, y) -> x.plus(y).times(0.5)),
                        Scalars.NONE),
                new Case("bits", ElementType.U32, ElementType.F32,
                        ElementStep.of(x -> x.shiftRight(9).or(Value.u32(0x3F800000)).bitCast(ValueType.F32).minus(1)),
                        Scalars.NONE));
    }

    private static final List<Function<Case, StepCase>> BUILDERS = List.of(
            c -> new StepCase(c, with(VectorCopy.of(c.from).tile(64).threads(32).loads(2), c), List.of(1003L)),
            c -> new StepCase(c, with(CpAsyncPipeline.of(c.from).tile(128).threads(32).stages(3), c), List.of(1003L)),
            c -> new StepCase(c, with(CpAsyncPipeline.of(c.from).tile(6, 32).threads(32).stages(2).copyBytes(8), c),
            List.of(29L, 88L)), c -> new StepCase(c, with(BulkCopy.of(c.from).tile(96).threads(32).stages(2), c),
            List.of(1003L)),
            c -> new StepCase(c, with(BulkCopy.of(c.from).tile(96).threads(32).barrierWait(BarrierWait.TOKEN), c),
            List.of(1003L)), c -> new StepCase(c, with(TensorCopy.of(c.from).tile(32).threads(32).stages(2), c),
            List.of(1003L)),
            c -> new StepCase(c,
            with(TensorCopy.of(c.from).tile(4, 32 / c.from.bytes()).swizzle(Swizzle.B32).threads(32), c),
            List.of(13L, 80L)),
            c -> new StepCase(c,
            with(TensorCopy.of(c.from).tile(2, 3, 64 / c.from.bytes()).unswizzle(Unswizzle.STEP).threads(32), c),
                    List.of(5L, 4L, 80L)));

    private static <B extends KernelBuilder<B>> ElementwiseKernel with(B builder, Case c) {
        return builder.step(c.step).resultType(c.to).build();
    }

    private final Case of;
    private final ElementwiseKernel kernel;
    private final List<Long> shape;

    private StepCase(Case of, ElementwiseKernel kernel, List<Long> shape) {
        this.of = of;
        this.kernel = kernel;
        this.shape = shape;
    }

    /** Every step in every builder, built once for all tests. */
    private static final List<StepCase> ALL = cases().stream().flatMap(c -> BUILDERS.stream().map(b -> b.apply(c)))
            .toList();

    /** Every step in every builder. */
    public static Stream<StepCase> all() {
        return ALL.stream();
    }

    /** The kernel. */
    public ElementwiseKernel kernel() {
        return kernel;
    }

    /** Its launch. */
    public Launch launch(int tilesPerBlock) {
        return kernel.launch(shape, of.scalars, GridPolicy.tilesEach(tilesPerBlock));
    }

    private long elements() {
        return shape.stream().reduce(1L, (a, b) -> a * b);
    }

    /** Bytes of the result. */
    public long resultBytes() {
        return elements() * of.to.bytes();
    }

    /** The sources: random bits. */
    public List<MemorySegment> sources(Arena arena) {
        List<MemorySegment> sources = new ArrayList<>();
        for (int i = 0; i < of.step.inputs(); i++) {
            byte[] bytes = new byte[(int) elements() * of.from.bytes()];
            new Random(i).nextBytes(bytes);
            sources.add(arena.allocate(bytes.length, 128).copyFrom(MemorySegment.ofArray(bytes)));
        }
        return sources;
    }

    /** What is wrong with what a device leaves, or nothing: every byte is held against a direct computation. */
    public Optional<String> run(CaseDevice device, Arena arena, int tilesPerBlock) {
        List<MemorySegment> sources = sources(arena);
        MemorySegment expected = arena.allocate(resultBytes(), 128);
        DirectStep.apply(of.step, of.from, of.to, of.scalars.bits(kernel.scalars()), sources, expected);
        MemorySegment result = arena.allocate(resultBytes() + 64, 128).fill((byte) 0xCD);
        List<MemorySegment> memory = new ArrayList<>(sources);
        memory.add(result);
        device.run(launch(tilesPerBlock), memory);
        for (long i = expected.byteSize(); i < result.byteSize(); i++) {
            if (result.get(ValueLayout.JAVA_BYTE, i) != (byte) 0xCD) {
                return Optional.of("a byte behind the result was written");
            }
        }
        return Difference.between(expected, result.asSlice(0, expected.byteSize())).map(d -> d.describe(of.to, shape));
    }

    @Override
    public String toString() {
        return kernel.program().name() + " of " + shape + ", " + of;
    }
}
