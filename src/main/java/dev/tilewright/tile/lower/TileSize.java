package dev.tilewright.tile.lower;

import dev.tilewright.builder.EarlyStart;
import dev.tilewright.builder.TileOption;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Epilogue;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.packed.PackedPattern;
import dev.tilewright.tile.lower.ring.RingPattern;
import dev.tilewright.tile.lower.ring.RingTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How large the tiles are in which a launch of a kernel is computed. Of a product whose elements do not depend on it,
 * such that the block which is done last is done soon: smaller ones where the kernel's own are fewer than the
 * multiprocessors, larger ones where factors would be read too often.
 *
 * @param kernel in these tiles
 * @param choices of the schedule, with what suits the launch
 * @param decision what was chosen and why; nothing where there was no choice
 */
public record TileSize(TileKernel kernel, Choices choices, Optional<Decision> decision) {
    private static final List<Integer> LENGTHS = List.of(256, 128, 64, 32, 16);
    /** The least length that a tile of several elements may be given. */
    public static final int LEAST = 2;
    /** The kernel's own tiles stay unless others save more than this part of the time. */
    private static final double WORTHWHILE = 0.03;
    private static final int ENOUGH_STAGES = 4;
    /** Of a ring: one is multiplied, and one comes. */
    private static final int LEAST_STAGES = 2;
    /** Half of the multiprocessors of a large GPU are at work: a launch is long enough to choose among equal tiles. */
    private static final int MANY_TILES = 64;
    /**
     * Tiles below each other where each multiprocessor takes one at most: neighbours that share a way to L2 then have
     * few rows and columns between them (1,024 cubed on an H200: 6 % faster than by bands of all rows).
     */
    private static final int SHORT_BAND = 4;
    /** Of a tile of many rows whose right factor is packed: enough for all multiprocessors of 8,192 columns. */
    private static final List<Integer> PACKED_COLUMNS = List.of(64, 32);

    /**
     * What decides, besides the kernel.
     *
     * @param extents of all dimensions, by name
     * @param aligned whether a tensor's array is as {@link Lowering#isAligned} says
     * @param multiprocessors that share the tiles
     */
    public record Launched(Map<String, Long> extents, Predicate<Tensor> aligned, Choices choices, Target target,
            int multiprocessors) { }

    private record Candidate(TileKernel kernel, ProductPattern pattern, ProductTime time) {
        /** The largest tile, of these the squarest, which reads least, then the widest, of fewest instructions. */
        static final Comparator<Candidate> OF_EQUALS = Comparator.<Candidate>comparingInt(one -> one.rows()
                * one.columns()).reversed().thenComparingInt(one -> one.rows() + one.columns())
                .thenComparing(Candidate::columns, Comparator.reverseOrder());

        int rows() {
            return pattern.sums().get(0);
        }

        int columns() {
            return pattern.sums().get(1);
        }
    }

    /** @param inTiles the kernel with another grid */
    public static TileSize of(TileKernel kernel, Function<Grid, TileKernel> inTiles, Launched launched) {
        if (!mayBeProduct(kernel, launched)) {
            return ring(kernel, inTiles, launched);
        }
        Epilogue epilogue = Epilogue.of(kernel);
        List<Candidate> candidates = new ArrayList<>();
        Optional<Candidate> own = candidate(kernel, launched, epilogue);
        if (!launched.choices().has(TileOption.TILE)) {
            for (List<Integer> lengths : lengths(kernel.grid())) {
                inTiles(kernel.grid(), lengths).flatMap(grid -> candidate(inTiles.apply(grid), launched,
                        epilogue)).ifPresent(candidates::add);
            }
        }
        Optional<Candidate> other = fastest(candidates).filter(fastest -> own.isEmpty()
                || fastest.time().cycles() < (1 - WORTHWHILE) * own.get().time().cycles());
        if (own.isEmpty() && other.isEmpty()) {
            TileSize packed = packed(kernel, inTiles, launched);
            return packed.decision().isPresent() ? packed : ring(kernel, inTiles, launched);
        }
        Candidate best = other.orElseGet(own::orElseThrow);
        Choices choices = withSteps(best, withRows(best, launched));
        choices = withCluster(best, launched, choices, epilogue);
        boolean isShort = best.time().turns() == 1;
        choices = isShort ? choices.or(TileOption.BAND, SHORT_BAND).or(TileOption.EARLY, EarlyStart.WAITING) : choices;
        String others = own.isEmpty() ? "; copies into shared memory cannot take the kernel's own tiles"
                : own.get() == best ? "" : "; with the kernel's own tiles: " + own.get().time();
        String clusters = launched.choices().cluster().isPresent() ? "" : choices.cluster().map(of ->
                "; by clusters of " + of + ", as factors' rows begin within lines of L2, which is asked twice for each")
                .orElse("");
        return new TileSize(best.kernel(), choices, Optional.of(new Decision(Decision.Pass.GRID, "kernel "
                + kernel.name(), "tiles of " + shown(best.kernel().grid()) + choices.get(TileOption.ROWS)
                .map(rows -> ", whose left factor copies bring by " + rows + " rows").orElse(""),
                (launched.choices().has(TileOption.TILE) ? "the schedule says so: " : "") + best.time() + others
                + clusters + (isShort ? "; a short launch begins early, and neighbours at work read the same" : ""))));
    }

    /**
     * The candidate that takes least time. Of several that take equally long, the first by {@link
     * Candidate#OF_EQUALS} where the launch is long, or else the one that was tried first.
     */
    private static Optional<Candidate> fastest(List<Candidate> candidates) {
        Optional<Candidate> first = candidates.stream().min(Comparator.comparingDouble(one -> one.time().cycles()));
        Optional<Candidate> tiny = first.filter(one -> one.time().turns() == 1 && one.time().tiles() < MANY_TILES);
        return tiny.or(() -> candidates.stream().filter(one ->
                one.time().cycles() == first.orElseThrow().time().cycles()).min(Candidate.OF_EQUALS));
    }

    /** A kernel in tiles whose factors threads copy ahead. */
    private record Ringed(TileKernel kernel, RingTime time) { }

    /** Of products whose factors threads copy ahead: the tiles that take least time. */
    private static TileSize ring(TileKernel kernel, Function<Grid, TileKernel> inTiles, Launched launched) {
        TileSize size = new TileSize(kernel, launched.choices(), Optional.empty());
        Choices choices = launched.choices();
        // Rows and clusters are of products that the copy engine brings: a refusal names what these lack.
        if (choices.has(TileOption.TILE) || choices.has(TileOption.THREADS) || choices.has(TileOption.ROWS)
                || choices.cluster().isPresent()) {
            return size;
        }
        Optional<RingTime> own = ringTime(kernel, launched);
        Optional<Ringed> best = lengths(kernel.grid()).stream().flatMap(lengths -> inTiles(kernel.grid(), lengths)
                .map(inTiles).flatMap(other -> ringTime(other, launched).map(time -> new Ringed(other, time))).stream())
                .min(Comparator.comparingDouble(other -> other.time().cycles()))
                .filter(other -> own.isEmpty() || other.time().cycles() < (1 - WORTHWHILE) * own.get().cycles());
        return best.map(other -> new TileSize(other.kernel(), launched.choices(), Optional.of(new Decision(
                Decision.Pass.GRID, "kernel " + kernel.name(), "tiles of " + shown(other.kernel().grid()), other.time()
                + own.map(time -> "; with the kernel's own tiles: " + time).orElse(""))))).orElse(size);
    }

    private static Optional<RingTime> ringTime(TileKernel kernel, Launched launched) {
        Indexes indexes = new Indexes(Map.of(), launched.extents());
        int most = launched.target().sharedMemoryPerBlock().orElse(Integer.MAX_VALUE);
        Optional<RingPattern> ring = Paths.ring(kernel, launched.extents(), launched.aligned(), launched.target())
                .pattern().filter(pattern -> kernel.grid().body().items().contains(pattern.loop())
                        && (long) LEAST_STAGES * pattern.bytes() <= most);
        long tiles = kernel.grid().steps().stream().mapToLong(steps -> indexes.of(steps.count()).constant().orElse(1))
                .reduce(1, Math::multiplyExact);
        return ring.flatMap(pattern -> {
            List<Integer> sums = TileSteps.extents(pattern.loop().next().getFirst(), indexes);
            long turns = indexes.of(pattern.loop().turns()).constant().orElse(1);
            return RingTime.threads(pattern, sums) == 0 ? Optional.empty() : Optional.of(RingTime.of(pattern, sums,
                    turns, tiles, launched.multiprocessors()));
        });
    }

    /** Of a product whose right factor is packed: as many rows as the launch has, as far as tiles go. */
    private static TileSize packed(TileKernel kernel, Function<Grid, TileKernel> inTiles, Launched launched) {
        TileSize own = new TileSize(kernel, launched.choices(), Optional.empty());
        int last = kernel.grid().steps().size() - 1;
        if (last != 1 || launched.choices().has(TileOption.TILE)) {
            return own;
        }
        long rows = new Indexes(Map.of(), launched.extents()).of(kernel.grid().steps().getFirst().dim().value())
                .constant().orElse(PackedPattern.MOST_ROWS);
        int most = Math.clamp(Long.highestOneBit(Math.max(1, rows) * 2 - 1), PackedPattern.LEAST_ROWS,
                PackedPattern.MOST_ROWS);
        for (int length = most; length >= PackedPattern.LEAST_ROWS; length /= 2) {
            for (int columns : length > PackedPattern.FEW_ROWS ? PACKED_COLUMNS : List.of(PackedPattern.WARP_COLUMNS)) {
                Optional<TileSize> size = inTiles(kernel.grid(), List.of(length, columns)).flatMap(grid ->
                        packed(inTiles.apply(grid), launched, "the launch has " + rows + " rows, and a block "
                        + "multiplies as many as it has room for by what it takes apart"));
                if (size.isPresent()) {
                    return size.get();
                }
            }
        }
        return own;
    }

    /** In these tiles, if a block has room; a launch whose blocks all run at once begins early. */
    private static Optional<TileSize> packed(TileKernel kernel, Launched launched, String reason) {
        Indexes indexes = new Indexes(Map.of(), launched.extents());
        long tiles = kernel.grid().steps().stream().mapToLong(steps -> indexes.of(steps.count()).constant()
                .orElse(Integer.MAX_VALUE)).reduce(1, Math::multiplyExact);
        return Paths.packed(kernel, launched.extents(), launched.aligned(), launched.choices(), launched.target())
                .pattern().map(pattern -> pattern.hasFewRows() ? PackedWarpsProgram.atOnce(pattern, launched.target())
                        : Math.min(1, PackedProgram.room(pattern, 0) / 2)).filter(atOnce -> atOnce > 0)
                .map(atOnce -> {
                    Choices choices = launched.choices();
                    boolean isShort = tiles <= (long) atOnce * launched.multiprocessors();
                    return new TileSize(kernel, isShort ? choices.or(TileOption.EARLY, EarlyStart.WAITING) : choices,
                            Optional.of(new Decision(Decision.Pass.GRID, "kernel " + kernel.name(), "tiles of "
                            + shown(kernel.grid()), reason + (isShort ? "; a short launch begins early" : ""))));
                });
    }

    /**
     * The kernel in tiles of half the length along the longest of the grid's dimensions along which no element depends
     * on its tile; nothing where there is none, or tiles have the least length.
     *
     * @param shortage why a block does not hold the tiles
     */
    public Optional<TileSize> halved(Function<Grid, TileKernel> inTiles, String shortage) {
        List<Integer> lengths = kernel.grid().steps().stream().map(Steps::length).toList();
        return IntStream.range(0, lengths.size()).boxed().filter(i -> lengths.get(i) > LEAST)
                .sorted(Comparator.comparing(lengths::get, Comparator.reverseOrder())).flatMap(i -> {
                    List<Integer> halved = new ArrayList<>(lengths);
                    halved.set(i, Math.ceilDiv(lengths.get(i), 2));
                    return inTiles(kernel.grid(), halved).stream();
                }).findFirst().map(grid -> new TileSize(inTiles.apply(grid), choices, Optional.of(new Decision(
                        Decision.Pass.GRID, "kernel " + kernel.name(), "tiles of " + shown(grid), "of tiles of "
                        + shown(kernel.grid()) + ", " + shortage))));
    }

    /**
     * Stages of two steps along k where there is room for enough of them: each takes its time, however small. A step of
     * f32 fills half of a line of shared memory; one of f64 fills a line, and two took 12 % longer on an H200.
     */
    private static Choices withSteps(Candidate best, Choices choices) {
        boolean suited = best.pattern().isFused() || !best.pattern().byThreads();
        return choices.has(TileOption.STEPS) || !suited ? choices : best.pattern().withSteps(2, "").pattern()
                .filter(pattern -> ProductProgram.room(pattern, 0) >= Math.max(ENOUGH_STAGES,
                        choices.get(TileOption.STAGES).orElse(0)))
                .map(_ -> choices.with(TileOption.STEPS, 2)).orElse(choices);
    }

    /** Clusters where factors come too slowly: rows that begin within lines of L2 are read twice. */
    private static Choices withCluster(Candidate best, Launched launched, Choices choices, Epilogue epilogue) {
        ProductCluster cluster = ProductCluster.DOWN;
        if (choices.cluster().isPresent() || choices.has(TileOption.ROWS) || best.pattern().byThreads()
                || launched.multiprocessors() < cluster.blocks()) {
            return choices;
        }
        Grid grid = best.kernel().grid();
        boolean alone = cluster.times(grid, launched.extents()) == ProductCluster.NONE.times(grid, launched.extents());
        return best.pattern().withCluster(grid, cluster, "").pattern()
                .filter(pattern -> !alone && time(best.kernel(), pattern, launched, epilogue).cycles()
                        < (1 - WORTHWHILE) * best.time().cycles())
                .map(_ -> choices.with(TileOption.CLUSTER, cluster.extents())).orElse(choices);
    }

    /** Copies bring no rows outside of the tensor where a tile has many of those. */
    private static Choices withRows(Candidate best, Launched launched) {
        long inside = best.pattern().a().inside(launched.extents());
        int rows = FewRows.of(inside);
        return launched.choices().has(TileOption.ROWS) || !best.pattern().cluster().isAlone()
                || rows >= best.pattern().a().mn()
                || FewRows.whyNot(best.kernel(), best.pattern().a()).isPresent() ? launched.choices()
                : launched.choices().with(TileOption.ROWS, rows);
    }

    private static boolean mayBeProduct(TileKernel kernel, Launched launched) {
        return !launched.choices().has(TileOption.THREADS)
                && kernel.arithmetic(launched.target()) != MatrixArithmetic.AMPERE
                && kernel.grid().body().tiles().anyMatch(tile -> tile.node() instanceof TileNode.Product);
    }

    private static String shown(Grid grid) {
        return grid.steps().stream().map(steps -> Integer.toString(steps.length())).collect(Collectors.joining(" x "));
    }

    /** Lengths to try along a grid's last two dimensions, large ones first. */
    private static List<List<Integer>> lengths(Grid grid) {
        List<Integer> own = grid.steps().stream().map(Steps::length).toList();
        List<List<Integer>> all = new ArrayList<>();
        int last = own.size() - 1;
        if (last > 0 && own.get(last) > 1 && own.get(last - 1) > 1) {
            for (int rows : LENGTHS) {
                for (int columns : LENGTHS) {
                    List<Integer> lengths = new ArrayList<>(own.subList(0, last - 1));
                    lengths.addAll(List.of(rows, columns));
                    if (!lengths.equals(own)) {
                        all.add(lengths);
                    }
                }
            }
        }
        return all;
    }

    private static Optional<Grid> inTiles(Grid grid, List<Integer> lengths) {
        try {
            return Optional.of(grid.inTiles(lengths));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<Candidate> candidate(TileKernel kernel, Launched launched, Epilogue epilogue) {
        return Paths.match(kernel, launched.extents(), launched.aligned(), launched.choices(), launched.target())
                .pattern().filter(pattern -> ProductProgram.room(pattern, 0)
                        >= launched.choices().get(TileOption.STAGES).orElse(2))
                .map(pattern -> new Candidate(kernel, pattern, time(kernel, pattern, launched, epilogue)));
    }

    private static ProductTime time(TileKernel kernel, ProductPattern pattern, Launched launched,
            Epilogue epilogue) {
        return ProductTime.of(pattern, pattern.cluster().blocks() * pattern.cluster().times(kernel.grid(),
                launched.extents()), launched.extents(), launched.multiprocessors(), epilogue);
    }

    /** {@code 64 x 128}. */
    @Override
    public String toString() {
        return decision.map(Decision::toString).orElseGet(() -> String.format(Locale.ROOT, "tiles of %s",
                shown(kernel.grid())));
    }
}
