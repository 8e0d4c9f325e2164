package dev.tilewright.tile.lower;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.lower.ring.RingPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a schedule chooses of a tile kernel's program. None of it changes a bit of what the program leaves.
 *
 * @param threads of a block whose threads all do the same: 32, 64, … 1024; empty for the fewest that suit, from 128 on
 * @param tile what a block computes at a time, along the innermost dimensions of the kernel's tiles; empty for what
 *     suits the launch
 * @param stages that copies of a product's factors go through, 2 or more; empty for as many as there is room for
 * @param groups of four warps that share the rows of a product's tile; empty for two where there are rows for two
 * @param band how many tiles below each other are taken one after the other; empty for what suits the launch
 * @param ahead 1 where a stage's products start before those of the stage before are done, else 0; empty for 1
 * @param rows of a tile of a product's left factor that a copy brings, 8 or more; empty for as many as suit the launch
 * @param steps of a kernel along k that a stage has, 1 or 2; empty for as many as suit the launch
 * @param cluster blocks that take neighbouring tiles of a product; empty for what suits the launch
 * @param early that it begins before the launch in front of it has ended: {@code 1} where it waits for that before it
 *     touches any tensor, {@code 0} where it does not begin before, else the names of tensors that are read before, as
 *     no launch in front writes them: a product's factors, or any that other kernels read, such as {@code table+row};
 *     empty for what suits the launch
 * @param resident blocks of so many {@code threads} that a multiprocessor holds at once, by whose number the compiler
 *     gives threads registers; empty where it decides
 * @param grid how tiles are shared out; empty for a block a multiprocessor, or a block a tile
 */
public record Choices(OptionalInt threads, List<Integer> tile, OptionalInt stages, OptionalInt groups, OptionalInt band,
        OptionalInt ahead, OptionalInt rows, OptionalInt steps, Optional<ProductCluster> cluster,
        Optional<String> early, OptionalInt resident, Optional<GridPolicy> grid) {
    /** What a schedule that says nothing chooses. */
    public static final Choices NONE = of(Schedule.DEFAULT);

    private static final String THREADS = "threads";
    private static final String TILE = "tile";
    private static final String STAGES = "stages";
    private static final String GROUPS = "groups";
    private static final String BAND = "band";
    private static final String AHEAD = "ahead";
    private static final String ROWS = "rows";
    private static final String STEPS = "steps";
    private static final String CLUSTER = "cluster";
    private static final String EARLY = "early";
    private static final String RESIDENT = "resident";
    /** Nothing goes ahead of the wait. */
    private static final String NO_TENSOR = "1";
    private static final String NOT = "0";
    /** Names of options, with a value that each may have. */
    private static final Map<String, String> OPTIONS = new TreeMap<>(Map.ofEntries(Map.entry(THREADS, "256"),
            Map.entry(TILE, "64x128"), Map.entry(STAGES, "4"), Map.entry(GROUPS, "2"), Map.entry(BAND, "16"),
            Map.entry(AHEAD, "1"), Map.entry(ROWS, "8"), Map.entry(STEPS, "2"), Map.entry(CLUSTER, "2x1"),
            Map.entry(EARLY, NO_TENSOR), Map.entry(RESIDENT, "4")));
    private static final int LEAST = 32;
    private static final int MOST = 1024;
    private static final int USUAL = 128;
    private static final int THREADS_AT_ONCE = 2048;

    public Choices {
        tile = List.copyOf(tile);
    }

    /** @throws BadRequestException if it chooses something else, or a value that there is not */
    public static Choices of(Schedule schedule) {
        schedule.options().keySet().stream().filter(name -> !OPTIONS.containsKey(name)).findFirst().ifPresent(name -> {
            throw new BadRequestException("a tile kernel's schedule has no option '" + name + "': it has " + OPTIONS);
        });
        OptionalInt threads = number(schedule, THREADS, LEAST, MOST);
        if (threads.isPresent() && Integer.bitCount(threads.getAsInt()) != 1) {
            throw wrong(schedule, THREADS, "a block has 32, 64, … 1024 threads: choose one of these powers of two");
        }
        Stream.of(GROUPS, BAND, AHEAD, ROWS, STEPS, CLUSTER)
                .filter(name -> threads.isPresent() && schedule.has(name)).findFirst().ifPresent(name -> {
                    throw wrong(schedule, name, "that is of products whose warps have parts of their own, and "
                            + THREADS + "=" + threads.getAsInt() + " has all threads do the same: choose one of both");
                });
        if (schedule.has(RESIDENT) && threads.isEmpty()) {
            throw wrong(schedule, RESIDENT, "that is of blocks whose threads all do the same: choose " + THREADS
                    + " too, or leave it out");
        }
        return new Choices(threads, tile(schedule), number(schedule, STAGES, 2, 64), number(schedule, GROUPS, 1, 4),
                number(schedule, BAND, 1, 1 << 20), number(schedule, AHEAD, 0, 1),
                number(schedule, ROWS, 8, 256), number(schedule, STEPS, 1, 2), cluster(schedule),
                schedule.get(EARLY), number(schedule, RESIDENT, 1, THREADS_AT_ONCE / threads.orElse(LEAST)),
                grid(schedule));
    }

    /** These, with blocks of this many threads, which all do the same. */
    public Choices withThreads(int number) {
        return new Choices(OptionalInt.of(number), tile, stages, groups, band, ahead, rows, steps, cluster, early,
                resident, grid);
    }

    /** These, with copies that bring this many rows. */
    Choices withRows(int number) {
        return new Choices(threads, tile, stages, groups, band, ahead, OptionalInt.of(number), steps, cluster, early,
                resident, grid);
    }

    /** These, with stages of this many steps along k. */
    Choices withSteps(int number) {
        return new Choices(threads, tile, stages, groups, band, ahead, rows, OptionalInt.of(number), cluster, early,
                resident, grid);
    }

    /** These, by such clusters. */
    Choices withCluster(ProductCluster of) {
        return new Choices(threads, tile, stages, groups, band, ahead, rows, steps, Optional.of(of), early,
                resident, grid);
    }

    /** These choices with bands of this many tiles, unless bands are chosen already. */
    Choices orBand(int tiles) {
        return band.isPresent() ? this : new Choices(threads, tile, stages, groups, OptionalInt.of(tiles), ahead, rows,
                steps, cluster, early, resident, grid);
    }

    /** These, and early where nothing is said of it. */
    Choices orEarly() {
        return new Choices(threads, tile, stages, groups, band, ahead, rows, steps, cluster,
                early.or(() -> Optional.of(NO_TENSOR)), resident, grid);
    }

    private static BadRequestException wrong(Schedule schedule, String name, String rule) {
        return new BadRequestException("a tile kernel's schedule has " + name + "=" + schedule.get(name).orElse("")
                + ": " + rule);
    }

    private static OptionalInt number(Schedule schedule, String name, int least, int most) {
        Optional<String> text = schedule.get(name);
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        if (text.get().matches("0|[1-9]\\d{0,8}")) {
            int number = Integer.parseInt(text.get());
            if (number >= least && number <= most) {
                return OptionalInt.of(number);
            }
        }
        throw wrong(schedule, name, "choose a number from " + least + " to " + most);
    }

    private static Optional<ProductCluster> cluster(Schedule schedule) {
        return schedule.get(CLUSTER).map(text -> ProductCluster.parse(text).orElseThrow(() -> wrong(schedule, CLUSTER,
                "the blocks of a cluster take two tiles below each other, 2x1, or beside each other, 1x2; 1x1 is no "
                        + "cluster")));
    }

    private static Optional<GridPolicy> grid(Schedule schedule) {
        if (schedule.grid().orElse(null) instanceof GridPolicy.Waves) {
            throw new BadRequestException("blocks of a tile kernel that take several tiles take neighbouring ones at "
                    + "the same time, got the grid '" + schedule.gridText() + "': say '132 blocks' or '1 tile a "
                    + "block'");
        }
        return schedule.grid();
    }

    private static List<Integer> tile(Schedule schedule) {
        String text = schedule.get(TILE).orElse("");
        if (text.isEmpty() && !schedule.has(TILE)) {
            return List.of();
        }
        if (!text.matches("[1-9]\\d{0,5}(x[1-9]\\d{0,5}){0,4}")) {
            throw wrong(schedule, TILE, "a tile's extents are such as 64x128, rows before columns");
        }
        return Arrays.stream(text.split("x")).map(Integer::valueOf).toList();
    }

    /**
     * A kernel's grid in the tiles that are chosen.
     *
     * @throws BadRequestException if they would change bits
     */
    public Grid tiled(String kernel, Grid grid) {
        List<Integer> lengths = new ArrayList<>(grid.steps().stream().map(Steps::length).toList());
        if (tile.size() > lengths.size()) {
            throw new BadRequestException("kernel '" + kernel + "' has tiles along " + lengths.size()
                    + " dimensions, got " + TILE + "=" + shown(tile) + ": give at most that many extents");
        }
        List<Integer> last = lengths.subList(lengths.size() - tile.size(), lengths.size());
        for (int i = 0; i < last.size(); i++) {
            last.set(i, tile.get(i));
        }
        try {
            return grid.inTiles(lengths);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("kernel '" + kernel + "' is computed in tiles of its own extents, got "
                    + TILE + "=" + shown(tile) + ": " + e.getMessage() + "; leave it out", e);
        }
    }

    private static String shown(List<Integer> tile) {
        return String.join("x", tile.stream().map(String::valueOf).toList());
    }

    /** Whether a launch begins before the one in front of it has ended. */
    boolean isEarly() {
        return early.filter(text -> !text.equals(NOT)).isPresent();
    }

    /** Names of tensors that are read before the wait for the launch in front. @param mayGo which may be read so */
    Set<String> goingAhead(Tensor... mayGo) {
        Set<String> names = early.filter(text -> !text.equals(NO_TENSOR) && !text.equals(NOT)).map(text ->
                Set.copyOf(List.of(text.split("\\+", -1)))).orElse(Set.of());
        Set<String> may = Arrays.stream(mayGo).map(Tensor::name).collect(Collectors.toCollection(LinkedHashSet::new));
        if (!may.containsAll(names)) {
            throw new BadRequestException("the schedule has " + EARLY + "=" + early.get() + ": " + (may.isEmpty()
                    ? "this kernel reads nothing" : "this kernel reads only " + may.stream().map(name -> "'" + name
                    + "'").collect(Collectors.joining(" and "))) + " ahead of the launch in front; say " + EARLY + "="
                    + (may.isEmpty() ? "" : String.join("+", may) + " or ") + NO_TENSOR);
        }
        return names;
    }

    /** Numbers of threads to try, in order. @param few whether fewer than usual are faster */
    List<Integer> tries(boolean few) {
        return threads.isPresent() ? List.of(threads.getAsInt()) : Stream.of(USUAL / 2, USUAL, 2 * USUAL, 4 * USUAL,
                MOST).skip(few ? 0 : 1).toList();
    }

    /** Of a kernel whose threads all do the same: as there, but for the stages of a ring. */
    Optional<String> refusal(String kernel, String reason, RingPattern.Match ring) {
        Choices others = ring.pattern().isEmpty() ? this : new Choices(threads, tile, OptionalInt.empty(), groups, band,
                ahead, rows, steps, cluster, early, resident, grid);
        return others.refusalOfProducts(kernel, ring.reason().isEmpty() || ring.reason().equals(reason) ? reason
                : reason + ", and no cp.async: " + ring.reason());
    }

    /**
     * The refusal of what only products whose warps have parts of their own have; nothing where none of it is said.
     *
     * @param reason why the kernel is no such product
     */
    Optional<String> refusalOfProducts(String kernel, String reason) {
        Map<String, OptionalInt> numbers = new TreeMap<>(Map.of(STAGES, stages, GROUPS, groups, BAND, band, AHEAD,
                ahead, ROWS, rows, STEPS, steps));
        Map<String, String> chosen = new TreeMap<>();
        numbers.forEach((name, number) -> number.ifPresent(n -> chosen.put(name, Integer.toString(n))));
        cluster.ifPresent(c -> chosen.put(CLUSTER, c.toString()));
        return chosen.entrySet().stream().map(e -> "kernel '" + kernel + "' has no " + e.getKey()
                + " to choose, got " + e.getKey() + "=" + e.getValue() + ": " + reason + "; leave it out")
                .findFirst().or(() -> grid.filter(g -> !g.equals(GridPolicy.tilesEach(1))).map(_ ->
                "a block of kernel '" + kernel
                + "' takes 1 tile, got the grid '" + new Schedule(Map.of(), grid).gridText() + "': " + reason
                + "; leave it out"));
    }
}
