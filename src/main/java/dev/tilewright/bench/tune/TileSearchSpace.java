package dev.tilewright.bench.tune;

import dev.tilewright.builder.Schedule;
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

/**
 * The schedules of a tile kernel that a search goes through: first sizes, how large tiles are and how many threads
 * compute one; then variants of the best, in each of which one choice is another. What the lowering chooses comes
 * first of all. None changes a byte; what a kernel does not have is refused when its program is made.
 */
final class TileSearchSpace {
    private static final List<Integer> PRODUCT_ROWS = List.of(64, 128, 256, 16);
    private static final List<Integer> PRODUCT_COLUMNS = List.of(32, 64, 128, 192, 256);
    private static final List<Integer> THREADS = List.of(128, 256, 512, 64, 1024, 32);
    /** Of rows and columns, against the kernel's own. */
    private static final List<double[]> SCALES = List.of(new double[] {1, 1}, new double[] {2, 1},
            new double[] {1, 2}, new double[] {0.5, 1}, new double[] {0.5, 2}, new double[] {1, 0.5});
    /** What a product's variants differ in. */
    private static final List<Schedule> OF_PRODUCTS = List.of("stages=3", "stages=4", "stages=5", "stages=6",
            "stages=8", "ahead=0", "ahead=1", "band=4", "band=8", "band=32", "steps=1", "steps=2", "groups=1",
            "groups=2", "none, 1 tile a block").stream().map(Schedule::parse).toList();

    /** Of whole rows: blocks at once on a multiprocessor, whose threads then keep more of what they load. */
    private static final List<Schedule> RESIDENT = List.of("threads=128 resident=4", "threads=128 resident=5",
            "threads=128 resident=6", "threads=256 resident=3", "threads=256 resident=4", "threads=512 resident=2",
            "threads=512 resident=4").stream().map(Schedule::parse).toList();
    private static final Schedule EARLY = Schedule.parse("early=1");

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
                        all.add(Schedule.parse("tile=" + down + "x" + across));
                    }
                }
            }
        } else {
            for (double[] scale : matrix ? SCALES : SCALES.subList(0, 1)) {
                for (int threads : THREADS) {
                    Schedule schedule = Schedule.parse("threads=" + threads);
                    all.add(scale[0] == 1 && scale[1] == 1 ? schedule : schedule.with("tile",
                            scaled(steps.get(steps.size() - 2).length(), scale[0]) + "x"
                                    + scaled(steps.getLast().length(), scale[1])));
                }
            }
            all.addAll(matrix ? List.of() : RESIDENT);
        }
        List<Schedule> others = new ArrayList<>(all);
        Collections.shuffle(others, new Random(seed));
        others.addFirst(Schedule.DEFAULT);
        return others;
    }

    private static int scaled(int length, double by) {
        return Math.max(2, (int) (length * by));
    }

    private static boolean isProduct(TileKernel kernel) {
        return kernel.grid().body().tiles().anyMatch(tile -> tile.node() instanceof TileNode.Product);
    }

    /** What else is tried of a candidate that is among the best. */
    static List<Schedule> variants(TileKernel kernel, Schedule of) {
        List<Schedule> others = !isProduct(kernel) ? List.of(EARLY) : of.has("threads") ? List.of() : OF_PRODUCTS;
        return others.stream().map(of::with).filter(other -> !other.equals(of)).toList();
    }
}
