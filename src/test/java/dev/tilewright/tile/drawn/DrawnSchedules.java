package dev.tilewright.tile.drawn;

import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Schedules of tile kernels: some options, each with one of its values. A kernel may have no program by one. */
public final class DrawnSchedules {
    private static final String THREADS = "threads";
    private static final String TILE = "tile";
    private static final String GRID = "grid";
    private static final String RESIDENT = "resident";
    private static final List<String> FEW_THREADS = List.of("32", "64", "128");
    private static final List<String> MANY_THREADS = List.of("32", "64", "128", "256", "512", "1024");
    /** Values of the options of products whose warps have parts of their own, and of the grid, by names. */
    private static final Map<String, List<String>> OF_PRODUCTS = new TreeMap<>(Map.of("stages", List.of("2", "3", "4"),
            "groups", List.of("1", "2"), "band", List.of("1", "2", "5"), "ahead", List.of("0", "1"),
            "rows", List.of("8", "16", "32", "64"), "steps", List.of("1", "2"), "cluster",
            List.of("2x1", "1x2", "1x1"), "early", List.of("1"), GRID,
            List.of("1 tile a block", "2 tiles a block", "2 blocks", "5 blocks", "132 blocks")));

    private DrawnSchedules() {
    }

    /** The options of which values are drawn, with the grid. */
    public static Set<String> options() {
        Set<String> names = new TreeSet<>(OF_PRODUCTS.keySet());
        names.addAll(List.of(THREADS, TILE, RESIDENT));
        return names;
    }

    /** The default, and some more, no two of them equal. */
    public static List<Schedule> of(DrawnKernel drawn, int more) {
        return of(drawn, more, MANY_THREADS);
    }

    /** As {@link #of(DrawnKernel, int)}, of few threads, where each takes a while. */
    public static List<Schedule> small(DrawnKernel drawn, int more) {
        return of(drawn, more, FEW_THREADS);
    }

    private static List<Schedule> of(DrawnKernel drawn, int more, List<String> threads) {
        Draw draw = new Draw(drawn.seed() ^ 0x5C);
        Draw resident = new Draw(drawn.seed() ^ 0x5D);
        List<Schedule> schedules = new ArrayList<>(List.of(Schedule.DEFAULT));
        boolean copied = drawn.isForCopyEngine();
        boolean product = copied || List.of("product", "attention").contains(drawn.kind());
        while (schedules.size() <= more) {
            Schedule schedule;
            if (product && (copied ? !draw.once(4) : draw.once(2))) {
                schedule = draw.once(copied ? 8 : 4) ? Schedule.DEFAULT.with(THREADS, draw.any(threads)).with("stages",
                        draw.any(OF_PRODUCTS.get("stages"))) : ofProducts(draw, copied ? 4 : 2);
            } else {
                schedule = draw.once(4) ? Schedule.DEFAULT.with(TILE, tile(drawn, draw))
                        : Schedule.DEFAULT.with(THREADS, draw.any(threads));
            }
            if (schedule.has(THREADS) && resident.once(3)) {
                schedule = schedule.with(RESIDENT, Integer.toString(resident.between(1, 2)));
            }
            if (!schedules.contains(schedule)) {
                schedules.add(schedule);
            }
        }
        return schedules;
    }

    /** @param tiles one in so many has tiles of other extents */
    private static Schedule ofProducts(Draw draw, int tiles) {
        Schedule schedule = Schedule.DEFAULT;
        if (draw.once(tiles)) {
            schedule = schedule.with(TILE, (64 << draw.below(3)) + "x" + (16 << draw.below(4)));
        }
        for (int i = draw.between(1, 2); i > 0; i--) {
            String option = draw.any(List.copyOf(OF_PRODUCTS.keySet()));
            String value = draw.any(OF_PRODUCTS.get(option));
            schedule = option.equals(GRID) ? schedule.with(Schedule.parse("none", value))
                    : schedule.with(option, value);
        }
        return schedule;
    }

    /** Of as many extents as there are, or of the innermost alone. */
    private static String tile(DrawnKernel drawn, Draw draw) {
        int extents = draw.between(1, Math.max(1, drawn.kernel().grid().steps().size()));
        return IntStream.range(0, extents).mapToObj(_ -> Integer.toString(draw.extent(32)))
                .collect(Collectors.joining("x"));
    }
}
