package dev.tilewright.tile.lower;

import dev.tilewright.BadRequestException;
import dev.tilewright.Nearest;
import dev.tilewright.builder.EarlyStart;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.ring.RingPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a schedule chooses of a tile kernel's program. None of it changes a bit of what the program leaves.
 *
 * @param schedule whose options are {@link TileOption}s
 */
public record Choices(Schedule schedule) {
    /** What a schedule that says nothing chooses. */
    public static final Choices NONE = new Choices(Schedule.DEFAULT);

    private static final int USUAL = 128;
    private static final int MOST = 1024;

    /** @throws BadRequestException if it is no schedule of tile kernels */
    public Choices {
        TileOption.require(schedule);
    }

    /** What is chosen for an option; empty for what suits the launch. */
    public <V> Optional<V> get(TileOption<V> option) {
        return schedule.get(option);
    }

    /** Whether something is chosen for an option. */
    public boolean has(TileOption<?> option) {
        return schedule.has(option.name());
    }

    /** How tiles are shared out; empty for a block a multiprocessor, or a block a tile. */
    Optional<GridPolicy> grid() {
        return schedule.grid();
    }

    /** Blocks that take neighbouring tiles of a product. */
    Optional<ProductCluster> cluster() {
        return get(TileOption.CLUSTER).map(ProductCluster::of);
    }

    /** These, with another value of an option. */
    public <V> Choices with(TileOption<V> option, V value) {
        return new Choices(schedule.with(option, value));
    }

    /** These, with a value of an option for which none is chosen. */
    <V> Choices or(TileOption<V> option, V value) {
        return has(option) ? this : with(option, value);
    }

    /**
     * A kernel's grid in the tiles that are chosen.
     *
     * @throws BadRequestException if they would change bits
     */
    public Grid tiled(String kernel, Grid grid) {
        List<Integer> tile = get(TileOption.TILE).orElse(List.of());
        String got = ", got " + TileOption.TILE.name() + "=" + schedule.get(TileOption.TILE.name()).orElse("") + ": ";
        List<Integer> lengths = new ArrayList<>(grid.steps().stream().map(Steps::length).toList());
        if (tile.size() > lengths.size()) {
            throw new BadRequestException("kernel '" + kernel + "' has tiles along " + lengths.size() + " dimensions"
                    + got + "give at most that many extents");
        }
        List<Integer> last = lengths.subList(lengths.size() - tile.size(), lengths.size());
        for (int i = 0; i < last.size(); i++) {
            last.set(i, tile.get(i));
        }
        try {
            return grid.inTiles(lengths);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("kernel '" + kernel + "' is computed in tiles of its own extents" + got
                    + e.getMessage() + "; leave it out", e);
        }
    }

    /** @throws BadRequestException if it names a tensor that the kernel does not have */
    public void requireTensors(TileKernel kernel) {
        List<String> tensors = kernel.tensors().stream().map(Tensor::name).toList();
        get(TileOption.EARLY).map(EarlyStart::reads).orElse(List.of()).stream().filter(name -> !tensors.contains(name))
                .findFirst().ifPresent(name -> {
                    throw new BadRequestException("kernel '" + kernel.name() + "' has no tensor '" + name
                            + "' to read early; it has " + String.join(", ", tensors)
                            + Nearest.question(name, tensors));
                });
    }

    /** Whether a launch begins before the one in front of it has ended. */
    boolean isEarly() {
        return get(TileOption.EARLY).filter(EarlyStart::isEarly).isPresent();
    }

    /** @throws BadRequestException if it begins early, which the target has no instruction for */
    void requireEarly(String kernel, Target target) {
        if (isEarly() && !new Griddepcontrol(Griddepcontrol.Action.WAIT).gate().admits(target)) {
            throw new BadRequestException("kernel '" + kernel + "' cannot begin before the launch in front has ended, "
                    + "got " + TileOption.EARLY.name() + "=" + get(TileOption.EARLY).orElseThrow() + ": " + target
                    + " has no griddepcontrol, which begins with " + Target.SM_90 + "; leave it out");
        }
    }

    /** @throws BadRequestException if blocks have fewer threads than the group that a product takes */
    void requireGroup(String kernel, Tile product) {
        get(TileOption.THREADS).filter(threads -> threads < Team.GROUP).ifPresent(threads -> {
            throw new BadRequestException("kernel '" + kernel + "' has products " + product + " with the bits of wgmma,"
                    + " which takes groups of " + Team.GROUP + " threads, got " + TileOption.THREADS.name() + "="
                    + threads + ": choose " + TileOption.THREADS.name() + "=" + Team.GROUP + " or more, leave it out, "
                    + "or name the other products, with arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC) (at "
                    + product.line() + ")");
        });
    }

    /** Names of tensors that are read before the wait for the launch in front. @param mayGo which may be read so */
    Set<String> goingAhead(Tensor... mayGo) {
        Set<String> names = Set.copyOf(get(TileOption.EARLY).map(EarlyStart::reads).orElse(List.of()));
        Set<String> may = Arrays.stream(mayGo).map(Tensor::name).collect(Collectors.toCollection(LinkedHashSet::new));
        if (!may.containsAll(names)) {
            String early = TileOption.EARLY.name() + "=";
            throw new BadRequestException("the schedule has " + early + get(TileOption.EARLY).orElseThrow() + ": "
                    + (may.isEmpty() ? "this kernel reads nothing" : "this kernel reads only "
                    + may.stream().map(name -> "'" + name + "'").collect(Collectors.joining(" and ")))
                    + " ahead of the launch in front; say " + early + (may.isEmpty() ? "" : String.join("+", may)
                    + " or ") + EarlyStart.WAITING);
        }
        return names;
    }

    /** Numbers of threads to try, in order. @param few whether fewer than usual are faster */
    List<Integer> tries(boolean few) {
        return get(TileOption.THREADS).map(List::of).orElseGet(() -> Stream.of(USUAL / 2, USUAL, 2 * USUAL, 4 * USUAL,
                MOST).skip(few ? 0 : 1).toList());
    }

    /** Of a kernel whose threads all do the same: as there, but for the stages of a ring. */
    Optional<String> refusal(String kernel, String reason, RingPattern.Match ring) {
        Choices others = ring.pattern().isEmpty() ? this : new Choices(schedule.without(TileOption.STAGES.name()));
        return others.refusalOfProducts(kernel, ring.reason().isEmpty() || ring.reason().equals(reason) ? reason
                : reason + ", and no cp.async: " + ring.reason());
    }

    /**
     * The refusal of what only products whose warps have parts of their own have; nothing where none of it is said.
     *
     * @param reason why the kernel is no such product
     */
    Optional<String> refusalOfProducts(String kernel, String reason) {
        return refusalBut(Set.of(), kernel, reason)
                .or(() -> grid().filter(g -> !g.equals(GridPolicy.tilesEach(1))).map(_ -> "a block of kernel '" + kernel
                + "' takes 1 tile, got the grid '" + schedule.gridText() + "': " + reason + "; leave it out"));
    }

    /**
     * Refuses options of products that a kernel's way of lowering does not have.
     *
     * @param way what has the others
     * @throws BadRequestException if one is chosen
     */
    void requireOnly(String kernel, String way, TileOption<?>... has) {
        refusalBut(Set.of(has), kernel, way + " takes " + Arrays.stream(has)
                .map(TileOption::name).collect(Collectors.joining(" and "))).ifPresent(refusal -> {
                    throw new BadRequestException(refusal);
                });
    }

    private Optional<String> refusalBut(Set<TileOption<?>> has, String kernel, String reason) {
        return TileOption.ALL.stream().filter(option -> option.isOfProducts() && has(option) && !has.contains(option))
                .min(Comparator.comparing(TileOption::name)).map(option -> "kernel '" + kernel + "' has no "
                + option.name() + " to choose, got " + option.name() + "=" + schedule.get(option.name()).orElseThrow()
                + ": " + reason + "; leave it out");
    }
}
