package dev.tilewright.tile.drawn;

import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Schedules of tile kernels: each option with values that it may have. */
public final class DrawnSchedules {
    /** Values of each option, by its name. */
    public static final Map<String, List<String>> VALUES = new TreeMap<>(Map.of(
            "threads", List.of("32", "64", "128", "256", "512", "1024")));

    private DrawnSchedules() {
    }

    /** The default, and some more, no two of them equal. */
    public static List<Schedule> of(long seed, int more) {
        return of(seed, more, VALUES);
    }

    /** As {@link #of(long, int)}, of few threads, where each takes a while. */
    public static List<Schedule> small(long seed, int more) {
        Map<String, List<String>> values = new TreeMap<>(VALUES);
        values.put("threads", List.of("32", "64", "128"));
        return of(seed, more, values);
    }

    private static List<Schedule> of(long seed, int more, Map<String, List<String>> values) {
        Draw draw = new Draw(seed ^ 0x5C);
        List<Schedule> schedules = new ArrayList<>(List.of(Schedule.DEFAULT));
        List<String> options = List.copyOf(values.keySet());
        for (int tries = 0; schedules.size() <= more && tries < 4 * more; tries++) {
            Schedule schedule = Schedule.DEFAULT;
            for (int i = draw.between(1, 2); i > 0; i--) {
                String option = draw.any(options);
                schedule = schedule.with(option, draw.any(values.get(option)));
            }
            if (!schedules.contains(schedule)) {
                schedules.add(schedule);
            }
        }
        return schedules;
    }
}
