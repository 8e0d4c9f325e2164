package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.Nearest;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Multiprocessor;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The options of tile kernels: what a {@link Schedule} may choose of how their programs are made. None of them changes
 * a bit of the result, and what is not chosen suits the target and the launch's extents.
 *
 * {@snippet :
 * kernel.with(Schedule.DEFAULT.with(TileOption.TILE, List.of(64, 128)).with(TileOption.STAGES, 3))
 * kernel.with(Schedule.parse("tile=64x128 stages=3"))    // the same
 * }
 *
 * @param <V> type of an option's values
 */
public final class TileOption<V> extends ScheduleOption<V> {
    private static final int FEWEST_THREADS = 32;

    /** Threads of a block that all do the same: 32, 64, 128, 256, 512 or 1024. */
    public static final TileOption<Integer> THREADS = new TileOption<>("threads", "256", Choices.numbers(
            FEWEST_THREADS, 64, 128, 256, 512, 1024), "threads that compute a tile. By default the smallest number "
            + "from 128 whose registers hold the tiles. Products on wgmma take groups instead; with threads they "
            + "take the ring path").sweeping("128", "256", "512", "64", "1024", "32");
    /** Extents of the tile that a block computes at a time, along the innermost dimensions of the kernel's tiles. */
    public static final TileOption<List<Integer>> TILE = new TileOption<>("tile", "64x128", new Extents(1, 5, 64, 16),
            "tiles of other extents than the kernel's; fewer extents than dimensions are for the last ones, so that "
            + "tile=8 changes the last only. Refused, with the reason, where an element depends on its tile");
    /** Stages of the ring through which copies of a product's factors go. */
    public static final TileOption<Integer> STAGES = new TileOption<>("stages", "4", new Numbers(2, 64),
            "of a product on the product path or the ring path: stages of the ring")
            .sweeping("3", "4", "5", "6", "8").ofProducts();
    /** Steps of a kernel along k that a stage has. */
    public static final TileOption<Integer> STEPS = new TileOption<>("steps", "2", Choices.numbers(1, 2),
            "of a product: steps along k of a stage").sweeping("1", "2").ofProducts();
    /** Rows of a tile of a product's left factor that a copy brings. */
    public static final TileOption<Integer> ROWS = new TileOption<>("rows", "8", new Numbers(8, 256),
            "of a product: rows of the left factor that one copy brings").ofProducts();
    /** Groups of four warps that share the rows of a product's tile. */
    public static final TileOption<Integer> GROUPS = new TileOption<>("groups", "2", new Numbers(1, 4),
            "of a product: groups of four warps that share a tile").sweeping("1", "2").ofProducts();
    /** 1 where a stage's products start before those of the stage before are done, else 0. */
    public static final TileOption<Integer> AHEAD = new TileOption<>("ahead", "1", Choices.numbers(0, 1),
            "of a product by wgmma: 1 where a stage's products start before the previous stage's have finished, 0 "
            + "where not")
            .sweeping("0", "1").ofProducts();
    /** Tiles below each other that are taken one after the other. */
    public static final TileOption<Integer> BAND = new TileOption<>("band", "16", new Numbers(1, 1 << 20),
            "of a product: how many tiles in a column are taken one after another, to reuse L2")
            .sweeping("4", "8", "32").ofProducts();
    /** Blocks of a cluster that take neighbouring tiles: two rows of tiles, two columns, or no cluster. */
    public static final TileOption<List<Integer>> CLUSTER = new TileOption<>("cluster", "2x1", Choices.extents(
            List.of(List.of(1, 1), List.of(2, 1), List.of(1, 2))), "of a product: two blocks that take tiles one below "
            + "the other (1x2: side by side); each loads half of their common factor for both. 1x1 is no cluster")
            .ofProducts();
    /** Blocks that a multiprocessor holds at once, of as many threads as {@link #THREADS} says. */
    public static final TileOption<Integer> RESIDENT = new TileOption<>("resident", "4", new Numbers(1,
            Multiprocessor.MOST_THREADS / FEWEST_THREADS), "with threads, at most 2048 of them: blocks that a "
            + "multiprocessor holds at once. The compiler gives threads as many registers as that leaves, so that "
            + "fewer blocks keep more loads in flight");
    /** Whether a launch begins before the one in front of it has ended. */
    public static final TileOption<EarlyStart> EARLY = new TileOption<>("early", "1", new Starts(), "on sm_90 and "
            + "later: 1 where the kernel may begin while the launch before it ends, and waits before it touches a "
            + "tensor; names of tensors (table+row) that it reads before it waits; 0 where it does not begin early. "
            + "Products with at most one tile for each multiprocessor begin early by default").sweeping("1");

    /** All options, in the order in which they are listed. */
    public static final List<TileOption<?>> ALL = List.of(THREADS, TILE, STAGES, STEPS, ROWS, GROUPS, AHEAD, BAND,
            CLUSTER, RESIDENT, EARLY);

    private final String example;
    private final boolean isOfProducts;

    /** @param example a value, as a user would write it */
    private TileOption(String name, String example, Values<V> values, String help) {
        this(name, example, values, help, List.of(), false);
    }

    private TileOption(String name, String example, Values<V> values, String help, List<String> sweep,
            boolean isOfProducts) {
        super(name, help, values, sweep);
        this.example = example;
        this.isOfProducts = isOfProducts;
    }

    private TileOption<V> sweeping(String... texts) {
        return new TileOption<>(name(), example, values, help(), List.of(texts), isOfProducts);
    }

    private TileOption<V> ofProducts() {
        return new TileOption<>(name(), example, values, help(), sweep(), true);
    }

    /** Whether only products have it: of warps with parts of their own, or, the stages, of threads that copy ahead. */
    public boolean isOfProducts() {
        return isOfProducts;
    }

    /** With a value, as in a schedule: {@code stages=4}. */
    public String example() {
        return name() + "=" + example;
    }

    /** What a schedule chooses; empty where nothing. @throws BadRequestException if it has no value of this option */
    Optional<V> in(Schedule schedule) {
        return schedule.get(name()).map(text -> {
            try {
                V value = values.parse(name(), text, ElementType.U8);
                if (values.admits(value) && values.text(value).equals(text)) {
                    return value;
                }
            } catch (BadRequestException _) {
                // Told with the option's own range.
            }
            throw wrong(text);
        });
    }

    @Override
    BadRequestException wrong(String text) {
        return wrong(text, "choose " + range() + ", such as " + example());
    }

    private BadRequestException wrong(String text, String rule) {
        return new BadRequestException("a tile kernel's schedule has " + name() + "=" + text + ": " + rule);
    }

    /**
     * Refuses a schedule that no tile kernel has.
     *
     * @throws BadRequestException if it has another option, a value out of an option's range, or choices that do not go
     *     together; the message says what would do
     */
    public static void require(Schedule schedule) {
        Objects.requireNonNull(schedule, "schedule");
        schedule.options().keySet().forEach(TileOption::requireName);
        ALL.forEach(option -> option.in(schedule));
        Optional<Integer> threads = THREADS.in(schedule);
        Stream.of(GROUPS, BAND, AHEAD, ROWS, STEPS, CLUSTER).filter(option -> threads.isPresent()
                && schedule.has(option.name())).findFirst().ifPresent(option -> {
                    throw option.wrong(schedule.get(option.name()).orElseThrow(), "that is of products whose warps "
                            + "have parts of their own, and threads=" + threads.get()
                            + " has all threads do the same: choose one of both");
                });
        RESIDENT.in(schedule).ifPresent(blocks -> {
            if (threads.isEmpty()) {
                throw RESIDENT.wrong(blocks.toString(), "that is of blocks whose threads all do the same: choose "
                        + "threads too, or leave it out");
            }
            if (blocks > Multiprocessor.MOST_THREADS / threads.get()) {
                throw RESIDENT.wrong(blocks.toString(), "with threads=" + threads.get() + " choose 1 to "
                        + Multiprocessor.MOST_THREADS / threads.get());
            }
        });
        if (schedule.grid().orElse(null) instanceof GridPolicy.Waves) {
            throw new BadRequestException("blocks of a tile kernel that take several tiles take neighbouring ones at "
                    + "the same time, got the grid '" + schedule.gridText() + "': say '132 blocks' or '1 tile a "
                    + "block'");
        }
    }

    private static void requireName(String name) {
        List<String> names = ALL.stream().map(TileOption::name).toList();
        if (!names.contains(name)) {
            throw new BadRequestException("a tile kernel's schedule has no option '" + name + "'; it has "
                    + String.join(", ", names) + Nearest.question(name, names));
        }
    }

    /** {@code stages=4}, with a value that it may have. */
    @Override
    public String toString() {
        return example();
    }

    /** When launches begin. */
    private static final class Starts implements Values<EarlyStart> {
        private static final List<EarlyStart> SAMPLES = List.of(EarlyStart.OFF, EarlyStart.WAITING,
                EarlyStart.reading("a"), EarlyStart.reading("a", "b"));

        @Override
        public String range() {
            return "0, 1 or names of tensors joined by +";
        }

        @Override
        public boolean admits(EarlyStart value) {
            return true;
        }

        @Override
        public EarlyStart parse(String option, String text, ElementType type) {
            return EarlyStart.parse(text);
        }

        @Override
        public String text(EarlyStart value) {
            return value.toString();
        }

        @Override
        public EarlyStart sample(RandomGenerator random, ElementType type) {
            return SAMPLES.get(random.nextInt(SAMPLES.size()));
        }
    }
}
