package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Optional;

/**
 * What every builder's kernel has: the choices it was built with and its program.
 *
 * <p>The constructor asks the kernel to {@link #describe} itself. A kernel therefore sets its own fields in its
 * constructor before it calls this one, and has none with an initializer.
 */
abstract class BuiltKernel implements TileKernel {
    final ElementType type;
    final ElementStep step;
    final List<Integer> tile;
    final int stages;
    final int threads;
    /** The same numbers as the kernel names them. */
    final Expr namedStages;
    final Expr namedThreads;
    final String kernelName;
    final Optional<Parameter.Scalar> scalar;
    final ElementwiseStep elementwise;
    final TileProgram program;

    /** @param b a builder whose choices go together */
    BuiltKernel(KernelBuilder<?> b) {
        type = b.type;
        step = b.step;
        tile = b.tileExtents();
        stages = b.stages;
        threads = b.threadCount();
        namedStages = Expr.named("stages", stages);
        namedThreads = Expr.named("threads", threads);
        kernelName = b.kernelName();
        scalar = step.hasScalar()
                ? Optional.of(new Parameter.Scalar("scalar", ElementStep.scalarType(type)))
                : Optional.empty();
        elementwise = new ElementwiseStep(type, step, scalar);
        program = describe();
    }

    /** The program, from all that is set but itself. Called once. */
    abstract TileProgram describe();

    @Override
    public final TileProgram program() {
        return program;
    }

    @Override
    public final ElementType type() {
        return type;
    }

    @Override
    public final ElementStep step() {
        return step;
    }

    @Override
    public final List<Integer> tile() {
        return tile;
    }

    @Override
    public final int stages() {
        return stages;
    }
}
