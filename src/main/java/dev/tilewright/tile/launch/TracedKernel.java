package dev.tilewright.tile.launch;

import dev.tilewright.NotNull;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.RowCut;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Batch;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Signature;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.Choices;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A kernel as it was traced, and the programs that were made of it. */
public final class TracedKernel implements TileKernel {
    private final String name;
    private final List<Dim> dims;
    private final List<Tensor> tensors;
    private final List<Parameter.Scalar> scalars;
    private final Grid grid;
    private final int variables;
    private final Optional<MatrixArithmetic> arithmetic;
    private final Optional<Schedule> schedule;
    private final Optional<Tuning> tuning;
    private final Programs programs;
    private final MeasuredSchedules measured;

    private TracedKernel(String name, List<Dim> dims, List<Tensor> tensors, List<Parameter.Scalar> scalars, Grid grid,
            int variables, Optional<MatrixArithmetic> arithmetic) {
        this(name, dims, tensors, scalars, grid, variables, arithmetic, Optional.empty(), Optional.empty());
    }

    private TracedKernel(String name, List<Dim> dims, List<Tensor> tensors, List<Parameter.Scalar> scalars, Grid grid,
            int variables, Optional<MatrixArithmetic> arithmetic, Optional<Schedule> schedule,
            Optional<Tuning> tuning) {
        this.name = name;
        this.dims = dims;
        this.tensors = tensors;
        this.scalars = scalars;
        this.grid = grid;
        this.variables = variables;
        this.arithmetic = arithmetic;
        this.schedule = schedule;
        this.tuning = tuning;
        this.programs = programs(schedule());
        this.measured = new MeasuredSchedules(this, tuning);
    }

    /** A kernel as it was traced. @throws IllegalArgumentException if no GPU has room for it */
    public static TracedKernel of(String name, List<Dim> dims, List<Tensor> tensors, List<Parameter.Scalar> scalars,
            Grid grid, int variables, Optional<MatrixArithmetic> arithmetic) {
        TracedKernel kernel = new TracedKernel(name, dims, tensors, scalars, grid, variables, arithmetic);
        Room.require(kernel);
        return kernel;
    }

    /** The programs that a schedule makes. */
    Programs programs(Schedule by) {
        return new Programs(this, other -> new TracedKernel(name, dims, tensors, scalars, other, variables,
                arithmetic), new Choices(by));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Dim> dims() {
        return dims;
    }

    @Override
    public List<Tensor> tensors() {
        return tensors;
    }

    @Override
    public List<Parameter.Scalar> scalars() {
        return scalars;
    }

    @Override
    public Grid grid() {
        return grid;
    }

    @Override
    public int variables() {
        return variables;
    }

    @Override
    public List<Launchable.Array> arrays() {
        return tensors.stream().map(t -> new Launchable.Array(t.name(), t.type().element().orElse(ElementType.U8),
                t.role() != Tensor.Role.IN)).toList();
    }

    @Override
    public CpuLaunch onCpu() {
        return new CpuRun(this, arithmetic.orElse(MatrixArithmetic.HOPPER_WGMMA));
    }

    @Override
    public Schedule schedule() {
        return schedule.orElse(Schedule.DEFAULT);
    }

    @Override
    public TileKernel with(Schedule other) {
        Objects.requireNonNull(other, "schedule");
        return new TracedKernel(name, dims, tensors, scalars, grid, variables, arithmetic, Optional.of(other), tuning);
    }

    @Override
    public TileKernel with(Tuning table) {
        Objects.requireNonNull(table, "table");
        return new TracedKernel(name, dims, tensors, scalars, grid, variables, arithmetic, schedule,
                Optional.of(table));
    }

    @Override
    public List<TunedTiles> measured(Target target) {
        Objects.requireNonNull(target, "target");
        return measured.lines(target);
    }

    /** Names of the dimensions whose extents its programs are made for. */
    List<String> programExtents() {
        return programs.extentsOfTiles();
    }

    @Override
    public MatrixArithmetic arithmetic(Target target) {
        Objects.requireNonNull(target, "target");
        return arithmetic.orElseGet(() -> MatrixArithmetic.of(target));
    }

    @Override
    public Batch batch() {
        return Batches.of(this);
    }

    /** This kernel in other tiles. */
    TracedKernel in(Grid tiles) {
        return new TracedKernel(name, dims, tensors, scalars, tiles, variables, arithmetic);
    }

    @Override
    public Signature signature(Target target) {
        Objects.requireNonNull(target, "target");
        return Signatures.of(this, target);
    }

    @Override
    public LoweredKernel lowered(Target target, Map<String, Long> extents) {
        NotNull.all("target, extents", target, extents);
        extents.forEach((dim, extent) -> {
            if (dims.stream().noneMatch(d -> d.name().equals(dim)) || extent < 0) {
                throw new IllegalArgumentException("kernel '" + name + "' " + (extent < 0 ? "has extents of 0 or more, "
                        + "got " + dim + "=" + extent : "has no dimension '" + dim + "': it has " + dims));
            }
        });
        Programs.Made made = programs.lowered(NotNull.entries("extents", extents), target);
        List<Decision> decisions = new ArrayList<>(made.lowered().decisions());
        made.size().decision().ifPresent(decisions::add);
        return new LoweredKernel(made.lowered().program(), target, schedule(), made.lowered().known(), decisions,
                measured(target), signature(target));
    }

    @Override
    public Launch launch(Map<String, ArrayShape> shapes, Scalars values, Target target, int multiprocessors) {
        NotNull.all("shapes, scalars, target", shapes, values, target);
        return programs.launch(NotNull.entries("shapes", shapes), values, target, multiprocessors);
    }

    @Override
    public Launch launch(Map<String, ArrayShape> shapes, Scalars values, String gpu, Target target,
            int multiprocessors) {
        NotNull.all("shapes, scalars, gpu, target", NotNull.entries("shapes", shapes), values, gpu, target);
        return (schedule.isPresent() ? Optional.<Launch>empty() : measured.launch(shapes,
                values, gpu, target, multiprocessors)).orElseGet(() -> launch(shapes, values, target,
                multiprocessors));
    }

    @Override
    public RowCut rowCut() {
        return RowCuts.of(this);
    }

    /** The {@link #listing}. */
    @Override
    public String toString() {
        return listing();
    }
}
