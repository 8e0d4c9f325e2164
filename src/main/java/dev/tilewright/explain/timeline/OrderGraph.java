package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Svg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.commons.lang3.StringUtils;

/**
 * The order graph of one tile: all that has to come before the last store of the first tile, in columns of roles. A
 * step follows those above it in its role, and what an arrow comes from; nothing else orders them.
 */
final class OrderGraph {
    private static final int LEFT = 10;
    private static final int TOP = 62;
    private static final int LAYER = 30;
    private static final int BOX = 18;
    private static final int COLUMN = 230;
    private static final int GAP = 40;
    private static final int CHARACTER = 7;

    private final Timeline timeline;
    private final Map<Integer, Row> rows = new HashMap<>();
    private final TreeSet<Integer> slice = new TreeSet<>();
    private final Map<Integer, Integer> layers = new HashMap<>();

    private OrderGraph(Timeline timeline) {
        this.timeline = timeline;
        timeline.rows().forEach(row -> rows.put(row.number(), row));
        int end = end();
        take(end);
        slice.forEach(this::layer);
    }

    static Svg of(Timeline timeline) {
        return new OrderGraph(timeline).draw();
    }

    /**
     * The first copy out of shared memory, after which a thread closes its group; without one, the first time that the
     * last of the storing steps is performed; without one of these, the last row.
     */
    private int end() {
        for (Row row : timeline.rows()) {
            int before = row.deed() == Deed.COMMIT ? before(row.roles().getFirst(), row.number()) : 0;
            if (before > 0 && rows.get(before).deed() == Deed.STORE) {
                return before;
            }
        }
        int last = timeline.rows().stream().filter(row -> row.deed() == Deed.STORE).mapToInt(Row::step).max()
                .orElse(-1);
        return timeline.rows().stream().filter(row -> row.deed() == Deed.STORE && row.step() == last)
                .mapToInt(Row::number).findFirst().orElse(timeline.rows().size());
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
        Row row = rows.get(number);
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

    private void layer(int number) {
        layers.put(number, 1 + causes(number).stream().mapToInt(layers::get).max().orElse(-1));
    }

    private static int x(int role) {
        return LEFT + role * (COLUMN + GAP);
    }

    private int y(int number) {
        return TOP + layers.get(number) * LAYER;
    }

    private Svg draw() {
        int depth = layers.values().stream().mapToInt(i -> i + 1).max().orElse(0);
        Svg svg = new Svg(Math.max(x(timeline.roles().size()), 760), TOP + depth * LAYER + 10,
                "Order of one tile of " + timeline.kernel());
        ScheduleDrawing.legend(svg, LEFT);
        for (int role = 0; role < timeline.roles().size(); role++) {
            svg.text(x(role), TOP - 14, StringUtils.abbreviate(timeline.roles().get(role), COLUMN / CHARACTER));
        }
        for (int number : slice) {
            Row row = rows.get(number);
            for (int role : row.roles()) {
                if (role < timeline.roles().size()) {
                    int before = before(role, number);
                    if (before > 0 && y(before) + BOX < y(number)) {
                        svg.line(x(role) + COLUMN / 2, y(before) + BOX, x(role) + COLUMN / 2, y(number));
                    }
                }
            }
        }
        slice.forEach(number -> node(svg, rows.get(number)));
        slice.forEach(number -> rows.get(number).waitsFor().stream().filter(slice::contains)
                .forEach(cause -> arrow(svg, rows.get(cause), rows.get(number))));
        return svg;
    }

    private void node(Svg svg, Row row) {
        String text = row.deed() + (row.memory().isEmpty() ? "" : " " + row.memory()) + (row.place().isEmpty() ? ""
                : " " + row.place());
        for (int role : row.roles()) {
            if (role < timeline.roles().size()) {
                svg.box(ScheduleDrawing.Kind.of(row.deed()).hue, x(role), y(row.number()), COLUMN, BOX, row.cell()
                        + ": step " + row.step() + ", " + row.purpose());
                svg.text(x(role) + 4, y(row.number()) + 13, StringUtils.abbreviate(text, (COLUMN - 8) / CHARACTER));
            }
        }
    }

    private void arrow(Svg svg, Row cause, Row wait) {
        int from = cause.roles().getFirst();
        int to = wait.roles().getFirst();
        int y1 = y(cause.number()) + BOX / 2;
        int y2 = y(wait.number()) + BOX / 2;
        if (from == to) {
            svg.arrow(x(from) + COLUMN, y1, x(to) + COLUMN, y2, GAP / 2);
        } else if (from < to) {
            svg.straight(x(from) + COLUMN, y1, x(to), y2);
        } else {
            svg.straight(x(from), y1, x(to) + COLUMN, y2);
        }
    }
}
