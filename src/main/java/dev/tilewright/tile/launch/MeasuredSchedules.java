package dev.tilewright.tile.launch;

import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.ptx.Target;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Launches of a kernel by the schedules that were measured on a GPU. One that does not suit a launch, such as that of
 * arrays whose rows begin anywhere, is left aside there: schedules change no bytes.
 */
final class MeasuredSchedules {
    private static final int MOST_KEPT = 1000;

    private final TracedKernel kernel;
    private final Optional<Tuning> table;
    private final Map<Target, String> bits = new ConcurrentHashMap<>();
    private final Map<Schedule, Programs> made = new HashMap<>();
    private final Set<String> unsuitable = ConcurrentHashMap.newKeySet();

    /** @param table empty for the usual one */
    MeasuredSchedules(TracedKernel kernel, Optional<Tuning> table) {
        this.kernel = kernel;
        this.table = table;
    }

    private Tuning table() {
        return table.orElseGet(Tuning::usual);
    }

    private String bits(Target target) {
        return bits.computeIfAbsent(target, t -> kernel.signature(t).bits());
    }

    List<TunedTiles> lines(Target target) {
        return table().tiles().stream().filter(line -> line.target().equals(target)
                && line.bits().equals(bits(target))).toList();
    }

    /** The launch by what was measured; empty where there is nothing that suits. */
    Optional<Launch> launch(Map<String, ArrayShape> shapes, Scalars scalars, String gpu, Target target,
            int multiprocessors) {
        if (table().tiles().stream().noneMatch(line -> line.gpu().equals(gpu))) {
            return Optional.empty();
        }
        Optional<Schedule> schedule = table().findTiles(bits(target), gpu, target, Extents.of(kernel, shapes),
                kernel.programExtents()).map(TunedTiles::schedule).filter(s -> !s.equals(Schedule.DEFAULT));
        String asked = schedule + " " + shapes + " " + target;
        if (schedule.isEmpty() || unsuitable.contains(asked)) {
            return Optional.empty();
        }
        try {
            return Optional.of(programs(schedule.get()).launch(shapes, scalars, target, multiprocessors));
        } catch (IllegalArgumentException e) {
            // Where it is the launch's own fault, the lowering's own choice says so.
            if (unsuitable.size() < MOST_KEPT) {
                unsuitable.add(asked);
            }
            return Optional.empty();
        }
    }

    private Programs programs(Schedule schedule) {
        synchronized (made) {
            return made.computeIfAbsent(schedule, kernel::programs);
        }
    }
}
