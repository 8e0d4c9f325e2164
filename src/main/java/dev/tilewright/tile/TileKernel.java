package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.program.array.KernelTemplate;
import dev.tilewright.program.expression.Identifiers;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.launch.TracedKernel;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A kernel in the tile language: what happens to tiles of tensors, traced from a lambda.
 *
 * {@snippet :
 * TileKernel gemm = TileKernel.of("gemm", k -> {
 *     Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
 *     Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n);
 *     Tensor c = k.out("c", BF16, m, n);
 *     k.forEachTile(c, 128, 256, at -> c.store(at, k.fold(k.zeros(F32, 128, 256), k.steps(depth, 64),
 *             (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(BF16)));
 * });
 * gemm.onCpu().set("a", a, m, k).set("b", b, k, n).set("c", c, m, n).run();
 * try (Gpu gpu = Gpu.open(); ArrayKernel loaded = gpu.load(gemm)) {
 *     loaded.launch().set("a", a, m, k).set("b", b, k, n).set("c", c, m, n).run();
 * }
 * }
 *
 * <p>The kernel fixes every bit of the result; how it is run changes only the time. It is immutable.
 */
public sealed interface TileKernel extends KernelTemplate permits TracedKernel {

    /**
     * Traces a kernel.
     *
     * @param name of the kernel, as of a function in C
     * @throws IllegalArgumentException if the kernel cannot be, or no GPU has room for its tiles, whatever the schedule
     *     (on the CPU, too: a kernel means the same everywhere); the message says the rule, what would do, and which
     *     line of the lambda it is, as {@code (at Gemm.java:17)}
     */
    static TileKernel of(String name, Consumer<TileScope> body) {
        NotNull.all("name, body", name, body);
        TileScope scope = new TileScope(name);
        Grid grid;
        try {
            Identifiers.require(name);
            scope.trace(body);
            grid = scope.grid();
        } catch (RuntimeException e) {
            throw UserLine.in(e);
        }
        return TracedKernel.of(name, scope.dims(), scope.tensors(), scope.scalars(), grid, scope.variables(),
                scope.arithmetic());
    }

    /** The dimensions that a launch's tensors give. */
    List<Dim> dims();

    /** The tensors of a launch, in the order in which they were declared. */
    List<Tensor> tensors();

    /**
     * A tensor's extents where dimensions have these, outermost first.
     *
     * @throws IllegalArgumentException if a dimension is not there; the message names it
     */
    default List<Long> shape(Tensor tensor, Map<String, Long> extents) {
        NotNull.all("tensor, extents", tensor, extents);
        NotNull.entries("extents", extents);
        return tensor.dims().stream().map(dim -> dim.in(extents).orElseThrow(() -> new IllegalArgumentException(
                "extent '" + dim + "' of tensor '" + tensor.name() + "' is not said, got " + extents))).toList();
    }

    /** The kernel's tiles and what happens for each. */
    Grid grid();

    /** How many numbers of tiles and of turns there are. */
    int variables();

    /** Whether a tile is loaded from the tensor. */
    default boolean loads(Tensor tensor) {
        Objects.requireNonNull(tensor, "tensor");
        return grid().body().loads(tensor);
    }

    // ---- how it is run

    /** A launch on the CPU, by the executor of the language itself. */
    CpuLaunch onCpu();

    /** How its programs for GPUs are made, as far as {@link #with} said. */
    Schedule schedule();

    /**
     * This kernel, whose programs for GPUs are made by a schedule. The bits are the same by any.
     *
     * {@snippet :
     * gemm.with(Schedule.DEFAULT.with(TileOption.STAGES, 3).with(GridPolicy.tilesEach(1)))
     * gemm.with(Schedule.parse("stages=3, 1 tile a block"))    // the same
     * }
     *
     * @param schedule values of {@link TileOption}s, and as grid {@code 132 blocks} or {@code 1 tile a block}. What is
     *     not said suits the target and the launch's extents
     * @throws IllegalArgumentException if it chooses what {@link TileOption#require tile kernels} do not have
     */
    TileKernel with(Schedule schedule);

    /**
     * This kernel, whose launches on GPUs look in a table for the schedule that was measured there, in place of
     * {@link Tuning#usual}. Where a schedule is {@linkplain #with(Schedule) said}, no table is asked. {@link
     * Tuning#EMPTY} leaves the choice to the lowering.
     *
     * {@snippet :
     * ArrayKernel loaded = gpu.load(gemm.with(Tuning.load(file)));
     * }
     */
    TileKernel with(Tuning table);

    /** The schedules of this kernel that were measured for a target, each with the GPU and the extents of it. */
    List<TunedTiles> measured(Target target);

    /** The matrix arithmetic of this kernel on a target: what the kernel names, else what the target has. */
    MatrixArithmetic arithmetic(Target target);

    /** Along which dimension its results do not depend on what else is in a launch. */
    Batch batch();

    /**
     * What decides the bits of its results on a target: the same by any schedule.
     *
     * @throws IllegalArgumentException if no instruction of the target gives the bits of the kernel's products
     */
    Signature signature(Target target);

    /**
     * The program that a launch has on a target, and what each pass chose on the way.
     *
     * @param extents of dimensions, by name: at least the dimensions that are extents of tiles
     * @throws IllegalArgumentException if one of these is missing, a name is none of a dimension, or the target lacks
     *     what the kernel needs
     */
    LoweredKernel lowered(Target target, Map<String, Long> extents);

    /** Explains for people what each pass of the lowering for a target chose and why, with the signature. */
    default String explain(Target target) {
        Objects.requireNonNull(target, "target");
        return explain(target, Map.of());
    }

    /**
     * Explains for people what each pass chose and why.
     *
     * @param extents see {@link #lowered}
     */
    default String explain(Target target, Map<String, Long> extents) {
        NotNull.all("target, extents", target, extents);
        return lowered(target, NotNull.entries("extents", extents)).toString();
    }

    /** The kernel as a listing: a line a tile, in order. */
    default String listing() {
        return Listing.of(this);
    }
}
