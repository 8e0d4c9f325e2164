package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Map;

/**
 * What every builder's kernel has: the choices it was built with and its program.
 *
 * <p>The constructor asks the kernel to {@link #describe} itself. A kernel therefore sets its own fields in its
 * constructor before it calls this one, and has none with an initializer.
 */
abstract class BuiltKernel implements TileKernel {
    final ElementType type;
    final ElementType resultType;
    final ElementStep step;
    final List<Integer> tile;
    final int stages;
    final int threads;
    /** The same numbers as the kernel names them. */
    final Expr namedStages;
    final Expr namedThreads;
    final String kernelName;
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
        ElementStep.Typed typed = b.typedStep();
        scalars = step.keepsBits(type, resultType) ? List.of() : typed.scalars();
        elementwise = new ElementwiseStep(step, type, resultType, typed);
        ownGrid = b.ownGrid();
        program = describe();
    }

    /** The program, from all that is set but itself. Called once. */
    abstract TileProgram describe();

    /** The end of a kernel's purpose: what the step is. */
    final String stepText() {
        return "step: " + step.name() + (type == resultType ? "" : ", as " + resultType);
    }

    /**
     * Adds the arguments of the arrays: buffers in the order that {@link TileKernel#launch} says, as many bytes of each as
     * the array has.
     */
    final void bindArrays(List<Parameter.Pointer> sources, Parameter.Pointer result, long elements,
            Map<Parameter, Argument> values) {
        for (int i = 0; i < sources.size(); i++) {
            values.put(sources.get(i), new Argument.Buffer(i, 0, elements * type.bytes()));
        }
        values.put(result, new Argument.Buffer(sources.size(), 0, elements * resultType.bytes()));
    }

    /** Adds the arguments of the step's scalars. */
    final void bindScalars(Scalars given, Map<Parameter, Argument> values) {
        given.bits(scalars).forEach((scalar, bits) -> values.put(scalar, new Argument.Scalar(bits)));
    }

    /** Elements of an array, both of whose forms, as source and as result, are not too large. */
    final long elements(List<Long> shape) {
        long elements = Shapes.elements(shape, type);
        Shapes.elements(shape, resultType);
        return elements;
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
