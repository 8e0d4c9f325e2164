package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Svg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A schedule drawn so that a narrow page shows it: a lane for each role, steps downward with their words beside them,
 * and an arrow to each wait from what ended it.
 */
final class ScheduleDrawing {
    private static final int MARGIN = 4;
    private static final int LANE = 22;
    private static final int BOX = 14;
    private static final int ROW_GAP = 5;
    private static final int BASE = 12;
    private static final int MOST_PURPOSES = 4;

    private final Timeline timeline;
    private final Legend legend;
    /** Where the first lane begins, behind the rows' numbers. */
    private final int lanes;
    private final int words;
    private final Map<Integer, Line> lines = new HashMap<>();
    private final Svg svg;
    private final int top;
    private final List<String> end;
    private int bottom;

    /** A row of the drawing, of one row of the schedule or of several that only compute. */
    private record Line(int y, int height, List<String> cell, List<String> purpose, String says) {
        int middle() {
            return y + BOX / 2;
        }
    }

    private ScheduleDrawing(Timeline timeline, String title) {
        this.timeline = timeline;
        int digits = timeline.rows().stream().mapToInt(row -> Integer.toString(row.number()).length()).max().orElse(1);
        this.lanes = MARGIN + Svg.wide("0".repeat(digits)) + LANE / 2;
        this.words = lanes + timeline.roles().size() * LANE + MARGIN;
        this.legend = new Legend(timeline.roles(), MARGIN, Svg.WIDE - 2 * MARGIN);
        this.top = legend.height() + Svg.LINE;
        place();
        String omission = timeline.omission();
        List<String> notes = new ArrayList<>();
        if (!timeline.fault().isEmpty()) {
            notes.addAll(Svg.lines("stopped: " + timeline.fault(), Svg.WIDE - 2 * MARGIN));
        }
        if (!omission.isEmpty()) {
            notes.addAll(Svg.lines(omission, Svg.WIDE - 2 * MARGIN));
        }
        end = notes;
        svg = new Svg(Svg.WIDE, bottom + end.size() * Svg.LINE + 2 * MARGIN, title);
    }

    static Svg of(Timeline timeline, String title) {
        return new ScheduleDrawing(timeline, title).draw();
    }

    /** Rows that one role computes by itself, one after the other, stand together. */
    private List<List<TimelineRow>> together() {
        List<List<TimelineRow>> all = new ArrayList<>();
        for (TimelineRow row : timeline.rows()) {
            TimelineRow last = all.isEmpty() ? null : all.getLast().getLast();
            if (last != null && onlyComputes(last) && onlyComputes(row) && last.roles().equals(row.roles())) {
                all.getLast().add(row);
            } else {
                all.add(new ArrayList<>(List.of(row)));
            }
        }
        return all;
    }

    private static boolean onlyComputes(TimelineRow row) {
        return row.action() == StepAction.COMPUTE && row.place().isEmpty() && row.memory().isEmpty();
    }

    /** Says where each row stands; a step's purpose stands below it the first time. */
    private void place() {
        Set<Integer> told = new HashSet<>();
        int y = top + MARGIN;
        for (List<TimelineRow> rows : together()) {
            TimelineRow first = rows.getFirst();
            List<TimelineRow> fresh = rows.stream().filter(row -> told.add(row.step())).toList();
            String purpose = fresh.stream().map(TimelineRow::purpose).filter(text -> !text.isEmpty()).distinct()
                    .limit(MOST_PURPOSES).collect(Collectors.joining(", "));
            String cell = rows.size() == 1 ? first.cell() : first.action() + ", " + rows.size() + " steps";
            List<String> cells = Svg.lines(cell, Svg.WIDE - words - MARGIN);
            List<String> purposes = purpose.isEmpty() ? List.of() : Svg.lines(purpose, Svg.WIDE - words - MARGIN);
            int height = (cells.size() + purposes.size()) * Svg.LINE + ROW_GAP;
            lines.put(first.number(), new Line(y, height, cells, purposes, rows.stream().map(row -> row.cell()
                    + ": step " + row.step() + ", " + row.purpose()).collect(Collectors.joining("; "))));
            y += height;
        }
        bottom = y;
    }

    private Svg draw() {
        legend.draw(svg, MARGIN);
        for (int role = 0; role < timeline.roles().size(); role++) {
            svg.textAround(x(role) + BOX / 2, top - MARGIN, Legend.letter(role));
            svg.line(x(role) + BOX / 2, top, x(role) + BOX / 2, bottom);
        }
        timeline.rows().forEach(this::row);
        timeline.rows().forEach(this::arrows);
        return svg.notes(MARGIN, bottom + BASE, end);
    }

    private int x(int role) {
        return lanes + role * LANE;
    }

    private void row(TimelineRow row) {
        Line line = lines.get(row.number());
        if (line == null) {
            return;
        }
        svg.textEnding(lanes - LANE / 3, line.y + BASE, Integer.toString(row.number()));
        for (int role : row.roles()) {
            if (role < timeline.roles().size()) {
                svg.box(Legend.Kind.of(row.action()).hue, x(role), line.y, BOX, line.height - ROW_GAP,
                        line.says);
            }
        }
        svg.texts(words, line.y + BASE, line.cell);
        svg.notes(words, line.y + BASE + line.cell.size() * Svg.LINE, line.purpose);
    }

    private void arrows(TimelineRow wait) {
        for (int number : wait.waitsFor()) {
            TimelineRow cause = timeline.rows().stream().filter(r -> r.number() == number).findFirst().orElse(null);
            if (cause == null) {
                continue;
            }
            int from = cause.roles().getFirst();
            int to = wait.roles().getFirst();
            int y1 = lines.get(number).middle();
            int y2 = lines.get(wait.number()).middle();
            if (from == to) {
                svg.arrow(x(from) + BOX, y1, x(to) + BOX, y2, LANE / 2);
            } else if (from < to) {
                svg.straight(x(from) + BOX, y1, x(to), y2);
            } else {
                svg.straight(x(from), y1, x(to) + BOX, y2);
            }
        }
    }
}
