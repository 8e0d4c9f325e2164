package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Hue;
import dev.tilewright.explain.picture.Svg;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.StringUtils;

/** A schedule drawn: a column for each role, a row for each step, and an arrow to each wait from what ended it. */
final class ScheduleDrawing {
    private static final int LEFT = 40;
    private static final int TOP = 62;
    private static final int ROW = 20;
    private static final int BOX = 16;
    private static final int COLUMN = 250;
    private static final int GAP = 40;
    private static final int PURPOSE = 330;
    private static final int CHARACTER = 7;

    private final Timeline timeline;
    private final Map<Integer, Integer> heights = new HashMap<>();
    private final Svg svg;

    private ScheduleDrawing(Timeline timeline) {
        this.timeline = timeline;
        int columns = timeline.roles().size();
        svg = new Svg(LEFT + columns * (COLUMN + GAP) + PURPOSE, TOP + timeline.rows().size() * ROW + 30,
                "Schedule of " + timeline.kernel());
    }

    static Svg of(Timeline timeline) {
        return new ScheduleDrawing(timeline).draw();
    }

    private Svg draw() {
        legend(svg, LEFT);
        for (int role = 0; role < timeline.roles().size(); role++) {
            svg.text(x(role), TOP - 14, StringUtils.abbreviate(timeline.roles().get(role), COLUMN / CHARACTER));
        }
        int y = TOP;
        for (Row row : timeline.rows()) {
            heights.put(row.number(), y);
            row(row, y);
            y += ROW;
        }
        timeline.rows().forEach(this::arrows);
        List<String> end = timeline.lines().subList(3 + timeline.rows().size(), timeline.lines().size());
        if (!end.isEmpty()) {
            svg.note(LEFT, y + 14, StringUtils.abbreviate(String.join("; ", end), 180));
        }
        return svg;
    }

    /** What the colours mean, in a line. */
    static void legend(Svg svg, int left) {
        int x = left;
        for (Kind kind : Kind.values()) {
            svg.box(kind.hue, x, 10, 14, 12, "").text(x + 20, 20, kind.text);
            x += 34 + kind.text.length() * CHARACTER;
        }
    }

    private static int x(int role) {
        return LEFT + GAP / 2 + role * (COLUMN + GAP);
    }

    private void row(Row row, int y) {
        svg.textEnding(LEFT - 6, y + 12, Integer.toString(row.number()));
        String cell = row.cell();
        for (int role : row.roles()) {
            if (role < timeline.roles().size()) {
                svg.box(Kind.of(row.deed()).hue, x(role), y, COLUMN, BOX,
                        cell + ": step " + row.step() + ", " + row.purpose());
                svg.text(x(role) + 4, y + 12, StringUtils.abbreviate(cell, (COLUMN - 8) / CHARACTER));
            }
        }
        svg.note(x(timeline.roles().size()), y + 12, StringUtils.abbreviate(row.purpose(), PURPOSE / CHARACTER));
    }

    private void arrows(Row wait) {
        for (int number : wait.waitsFor()) {
            Row cause = timeline.rows().stream().filter(r -> r.number() == number).findFirst().orElse(null);
            if (cause == null) {
                continue;
            }
            int from = cause.roles().getFirst();
            int to = wait.roles().getFirst();
            int y1 = heights.get(number) + BOX / 2;
            int y2 = heights.get(wait.number()) + BOX / 2;
            if (from == to) {
                svg.arrow(x(from), y1, x(to), y2, -GAP / 2);
            } else if (from < to) {
                svg.straight(x(from) + COLUMN, y1, x(to), y2);
            } else {
                svg.straight(x(from), y1, x(to) + COLUMN, y2);
            }
        }
    }

    /** What a colour stands for. */
    enum Kind {
        LOADS(Hue.BLUE, "load"), COMPUTES(Hue.ORANGE, "compute"), STORES(Hue.GREEN, "store"),
        SIGNALS(Hue.PURPLE, "arrive, commit"), WAITS(Hue.PLAIN, "wait, meet"), OTHERS(Hue.GREY, "set up, fence"),
        STOPS(Hue.RED, "never passes");

        final Hue hue;
        final String text;

        Kind(Hue hue, String text) {
            this.hue = hue;
            this.text = text;
        }

        static Kind of(Deed deed) {
            return switch (deed) {
                case LOAD -> LOADS;
                case COMPUTE, UPDATE -> COMPUTES;
                case STORE -> STORES;
                case ARRIVE, EXPECT, COMMIT -> SIGNALS;
                case WAIT, MEET -> WAITS;
                case INIT, FENCE -> OTHERS;
                case STUCK -> STOPS;
            };
        }
    }
}
