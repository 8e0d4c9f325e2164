package dev.tilewright.tuning;

import dev.tilewright.NotNull;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A preset's kernel with the schedule that a {@link Tuning} has for it, or as the preset stands; {@link #reason} says
 * which. A launch that names no grid policy has the schedule's.
 */
public final class TunedKernel implements ElementwiseKernel {
    private final ElementwiseKernel kernel;
    private final Optional<TunedPreset> source;
    private final String reason;

    TunedKernel(ElementwiseKernel kernel, Optional<TunedPreset> source, String reason) {
        this.kernel = kernel;
        this.source = source;
        this.reason = reason;
    }

    /** The line of the table that it was made by; empty if the preset is as it stands. */
    public Optional<TunedPreset> source() {
        return source;
    }

    /** Which schedule was taken and why, in one sentence. */
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
    public List<Array> arrays() {
        return kernel.arrays();
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
        NotNull.all("shape, scalars", shape, scalars);
        return kernel.launch(shape, scalars);
    }

    @Override
    public Launch launch(List<Long> shape, Scalars scalars, GridPolicy gridPolicy) {
        NotNull.all("shape, scalars, gridPolicy", shape, scalars, gridPolicy);
        return kernel.launch(shape, scalars, gridPolicy);
    }

    @Override
    public String toString() {
        return kernel.program().name() + ": " + reason;
    }
}
