package dev.tilewright.bench.tune;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The schedules of a tile kernel that a search goes through: first sizes, how large tiles are and how many threads
 * compute one; then variants of the best, in each of which one choice is another. What the lowering chooses comes
 * first of all. None changes a byte; what a kernel does not have is refused when its program is made.
 */
final class TileSearchSpace {
    private static final List<Integer> PRODUCT_ROWS = List.of(64, 128, 256, 16);
    private static final List<Integer> PRODUCT_COLUMNS = List.of(32, 64, 128, 192, 256);
    /** Of rows and columns, against the kernel's own. */
    private static final List<double[]> SCALES = List.of(new double[] {1, 1}, new double[] {2, 1},
            new double[] {1, 2}, new double[] {0.5, 1}, new double[] {0.5, 2}, new double[] {1, 0.5});
    /** What a product's variants differ in. */
    private static final List<Schedule> OF_PRODUCTS = Stream.concat(TileOption.ALL.stream()
            .filter(TileOption::isOfProducts).flatMap(TileSearchSpace::swept),
            Stream.of(Schedule.DEFAULT.with(GridPolicy.tilesEach(1)))).toList();
    /** Of whole rows, by threads: blocks at once on a multiprocessor. Threads then keep more of what they load. */
    private static final Map<Integer, List<Integer>> RESIDENT = new TreeMap<>(Map.of(128, List.of(4, 5, 6),
            256, List.of(3, 4), 512, List.of(2, 4)));

    private TileSearchSpace() { }

    /**
     * All candidates; the first is what the lowering chooses.
     *
     * @param extents of the launch
     * @param seed of their order, so that a search that is cut short has seen some of every kind
     */
    static List<Schedule> of(TileKernel kernel, Map<String, Long> extents, long seed) {
        Set<Schedule> all = new LinkedHashSet<>();
        List<Steps> steps = kernel.grid().steps();
        boolean matrix = steps.size() > 1 && steps.getLast().length() > 1
                && steps.get(steps.size() - 2).length() > 1;
        if (isProduct(kernel) && matrix) {
            long rows = steps.get(steps.size() - 2).dim().in(extents).orElse(Long.MAX_VALUE);
            long columns = steps.getLast().dim().in(extents).orElse(Long.MAX_VALUE);
            for (int down : PRODUCT_ROWS) {
                for (int across : PRODUCT_COLUMNS) {
                    // Twice what there is has nothing for the second half.
                    if (down < 2 * Math.max(rows, PRODUCT_ROWS.getFirst()) && across < 2 * columns) {
                        all.add(Schedule.DEFAULT.with(TileOption.TILE, List.of(down, across)));
                    }
                }
            }
        } else {
            for (double[] scale : matrix ? SCALES : SCALES.subList(0, 1)) {
                swept(TileOption.THREADS).map(threads -> scale[0] == 1 && scale[1] == 1 ? threads
                        : threads.with(TileOption.TILE, List.of(scaled(steps.get(steps.size() - 2).length(), scale[0]),
                        scaled(steps.getLast().length(), scale[1])))).forEach(all::add);
            }
            if (!matrix) {
                RESIDENT.forEach((threads, numbers) -> numbers.forEach(blocks -> all.add(Schedule.DEFAULT
                        .with(TileOption.THREADS, threads).with(TileOption.RESIDENT, blocks))));
            }
        }
        List<Schedule> others = new ArrayList<>(all);
        Collections.shuffle(others, new Random(seed));
        others.addFirst(Schedule.DEFAULT);
        return others;
    }

    private static Stream<Schedule> swept(TileOption<?> option) {
        return option.sweep().stream().map(value -> Schedule.DEFAULT.with(option.name(), value));
    }

    private static int scaled(int length, double by) {
        return Math.max(2, (int) (length * by));
    }

    private static boolean isProduct(TileKernel kernel) {
        return kernel.grid().body().tiles().anyMatch(tile -> tile.node() instanceof TileNode.Product);
    }

    /** What else is tried of a candidate that is among the best. */
    static List<Schedule> variants(TileKernel kernel, Schedule of) {
        List<Schedule> others = !isProduct(kernel) ? swept(TileOption.EARLY).toList()
                : of.get(TileOption.THREADS).isPresent() ? List.of() : OF_PRODUCTS;
        return others.stream().map(of::with).filter(other -> !other.equals(of)).toList();
    }
}
