package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Svg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The order graph of one tile: all that has to come before the last store of the first tile, in lanes of roles. A
 * step follows those above it in its lane, and what an arrow comes from; nothing else orders them.
 */
final class OrderGraph {
    private final Timeline timeline;
    private final Map<Integer, TimelineRow> rows = new HashMap<>();
    private final TreeSet<Integer> slice = new TreeSet<>();

    private OrderGraph(Timeline timeline) {
        this.timeline = timeline;
        timeline.rows().forEach(row -> rows.put(row.number(), row));
        int end = end();
        take(end);
    }

    static Svg of(Timeline timeline) {
        return new OrderGraph(timeline).draw();
    }

    /**
     * The first copy out of shared memory, after which a thread closes its group; without one, the first time that the
     * last of the storing steps is performed; without one of these, the last row.
     */
    private int end() {
        for (TimelineRow row : timeline.rows()) {
            int before = row.action() == StepAction.COMMIT ? before(row.roles().getFirst(), row.number()) : 0;
            if (before > 0 && rows.get(before).action() == StepAction.STORE) {
                return before;
            }
        }
        int last = timeline.rows().stream().filter(row -> row.action() == StepAction.STORE)
                .mapToInt(TimelineRow::step).max()
                .orElse(-1);
        return timeline.rows().stream().filter(row -> row.action() == StepAction.STORE && row.step() == last)
                .mapToInt(TimelineRow::number).findFirst().orElse(timeline.rows().size());
    }

    /** The row before in a role; 0 for none. */
    private int before(int role, int number) {
        for (int n = number - 1; n > 0; n--) {
            if (rows.get(n).roles().contains(role)) {
                return n;
            }
        }
        return 0;
    }

    private List<Integer> causes(int number) {
        TimelineRow row = rows.get(number);
        List<Integer> causes = new ArrayList<>(row.waitsFor());
        row.roles().forEach(role -> causes.add(before(role, number)));
        return causes.stream().filter(n -> n > 0).distinct().toList();
    }

    private void take(int number) {
        List<Integer> open = new ArrayList<>(List.of(number));
        while (!open.isEmpty()) {
            int next = open.removeLast();
            if (slice.add(next)) {
                open.addAll(causes(next));
            }
        }
    }

    private Svg draw() {
        List<TimelineRow> shown = slice.stream().map(rows::get).toList();
        return ScheduleDrawing.of(new Timeline(timeline.kernel(), timeline.purpose(), timeline.source(),
                timeline.blocks(), timeline.shownBlocks(), timeline.roles(), timeline.shown(), shown, "",
                Timeline.LeftOut.NOTHING), "Order of one tile of " + timeline.kernel());
    }
}
