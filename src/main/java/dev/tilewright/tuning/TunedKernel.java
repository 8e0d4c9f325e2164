package dev.tilewright.tuning;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Scalars;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A preset's kernel with the schedule that a {@link Tuning} has for it, or as the preset stands; {@link #reason} says
 * which. A launch that names no grid policy has the schedule's.
 */
public final class TunedKernel implements TileKernel {
    private final TileKernel kernel;
    private final Optional<TunedPreset> source;
    private final String reason;

    TunedKernel(TileKernel kernel, Optional<TunedPreset> source, String reason) {
        this.kernel = kernel;
        this.source = source;
        this.reason = reason;
    }

    /** The line of the table that it was made by; empty if the preset is as it stands. */
    public Optional<TunedPreset> source() {
        return source;
    }

    /** What was taken and why, in one sentence. */
    public String reason() {
        return reason;
    }

    @Override
    public TileProgram program() {
        return kernel.program();
    }

    @Override
    public ElementType type() {
        return kernel.type();
    }

    @Override
    public ElementType resultType() {
        return kernel.resultType();
    }

    @Override
    public ElementStep step() {
        return kernel.step();
    }

    @Override
    public List<Parameter.Scalar> scalars() {
        return kernel.scalars();
    }

    @Override
    public List<Integer> tile() {
        return kernel.tile();
    }

    @Override
    public int stages() {
        return kernel.stages();
    }

    @Override
    public long workspaceBytes(Launch launch) {
        Objects.requireNonNull(launch, "launch");
        return kernel.workspaceBytes(launch);
    }

    @Override
    public Launch launch(List<Long> shape, Scalars scalars) {
        Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(scalars, "scalars");
        return source.flatMap(found -> found.schedule().grid()).map(grid -> kernel.launch(shape, scalars, grid))
                .orElseGet(() -> kernel.launch(shape, scalars));
    }

    @Override
    public Launch launch(List<Long> shape, Scalars scalars, GridPolicy gridPolicy) {
        Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(scalars, "scalars");
        Objects.requireNonNull(gridPolicy, "gridPolicy");
        return kernel.launch(shape, scalars, gridPolicy);
    }

    @Override
    public String toString() {
        return kernel.program().name() + ": " + reason;
    }
}
