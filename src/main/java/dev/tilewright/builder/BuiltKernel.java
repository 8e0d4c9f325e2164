package dev.tilewright.builder;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What every builder's kernel has: the choices it was built with and its program.
 *
 * <p>The constructor asks the kernel to {@link #describe} itself. A kernel therefore sets its own fields in its
 * constructor before it calls this one, and has none with an initializer.
 */
abstract class BuiltKernel implements ElementwiseKernel {
    final ElementType type;
    final ElementType resultType;
    final ElementStep step;
    final List<Integer> tile;
    final int stages;
    final int threads;
    /** Stages and threads as the kernel names them. */
    final Expr namedStages;
    final Expr namedThreads;
    final String kernelName;
    /** The arrays in memory, which launches bind. */
    final List<Parameter.Pointer> sources;
    final Parameter.Pointer result;
    final List<Array> arrays;
    final List<Parameter.Scalar> scalars;
    final ElementwiseStep elementwise;
    final TileProgram program;
    private final GridPolicy ownGrid;

    /** @param b a builder whose choices go together */
    BuiltKernel(KernelBuilder<?> b) {
        type = b.type;
        resultType = b.resultType();
        step = b.step;
        tile = b.tileExtents();
        stages = b.stages;
        threads = b.threadCount();
        namedStages = Expr.named("stages", stages);
        namedThreads = Expr.named("threads", threads);
        kernelName = b.kernelName();
        sources = b.sources();
        result = new Parameter.Pointer("result", true);
        arrays = Stream.concat(sources.stream().map(source -> new Array(source.name(), type, false)),
                Stream.of(new Array(result.name(), resultType, true))).toList();
        ElementStep.Typed typed = b.typedStep();
        scalars = step.keepsBits(type, resultType) ? List.of() : typed.scalars();
        elementwise = new ElementwiseStep(step, type, resultType, typed);
        ownGrid = b.grid();
        program = describe();
    }

    /** The program, from all that is set but itself. Called once. */
    abstract TileProgram describe();

    /** The parameters of a kernel that takes its arrays by pointers. @param own of its mechanism */
    final List<Parameter> parameters(TilePartition partition, Parameter... own) {
        return Stream.of(sources, List.of(result), List.of(own), partition.parameters(), scalars)
                .<Parameter>flatMap(List::stream).toList();
    }

    /** The end of a kernel's purpose: what the step is. */
    final String stepText() {
        return "step: " + step.name() + (type == resultType ? "" : ", as " + resultType);
    }

    /**
     * Adds the arguments of a launch, but for the arrays and the step's scalars.
     *
     * @param elements of an array of this shape, which is not too large as source nor as result
     * @return how many blocks it has
     * @throws dev.tilewright.BadRequestException if the mechanism cannot move such an array
     */
    abstract int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values);

    @Override
    public Launch launch(List<Long> shape, Scalars given, GridPolicy gridPolicy) {
        NotNull.all("shape, given, gridPolicy", shape, given, gridPolicy);
        long elements = Shapes.elements(shape, type);
        Shapes.elements(shape, resultType);
        Map<Parameter, Argument> values = new HashMap<>();
        int blocks = bind(shape, elements, gridPolicy, values);
        for (int i = 0; i < sources.size(); i++) {
            values.put(sources.get(i), new Argument.Buffer(i, 0, elements * type.bytes()));
        }
        values.put(result, new Argument.Buffer(sources.size(), 0, elements * resultType.bytes()));
        given.bits(scalars).forEach((scalar, bits) -> values.put(scalar, new Argument.Scalar(bits)));
        return Launch.of(program, blocks, values);
    }

    @Override
    public final Launch launch(List<Long> shape, Scalars given) {
        return launch(shape, given, ownGrid);
    }

    @Override
    public final TileProgram program() {
        return program;
    }

    @Override
    public final ElementType type() {
        return type;
    }

    @Override
    public final ElementType resultType() {
        return resultType;
    }

    @Override
    public final ElementStep step() {
        return step;
    }

    @Override
    public final List<Array> arrays() {
        return arrays;
    }

    @Override
    public final List<Parameter.Scalar> scalars() {
        return scalars;
    }

    @Override
    public final List<Integer> tile() {
        return tile;
    }

    @Override
    public final int stages() {
        return stages;
    }

    /** {@code kernel 'tensor_copy' of f32, tile 64 x 32, for sm_90 or later}. */
    @Override
    public String toString() {
        return "kernel '" + kernelName + "' of " + type + ", tile " + Shapes.text(tile) + ", for "
                + program.gate().minimumTarget() + " or later";
    }
}
