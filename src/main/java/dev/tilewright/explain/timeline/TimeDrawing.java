package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Svg;

/** A schedule in time drawn: a column for each role, time downward, a box for each step as long as it took. */
final class TimeDrawing {
    private static final int MARGIN = 4;
    /** Where the columns begin, behind the times. */
    private static final int LEFT = 66;
    private static final int HEIGHT = 1200;
    private static final int TICKS = 16;
    private static final int GAP = 4;
    private static final int BASE = 12;

    private TimeDrawing() { }

    static Svg of(GpuTimeline timeline) {
        double end = timeline.spans().stream().mapToDouble(StepTime::to).max().orElse(1);
        double tick = tick(end);
        double scale = HEIGHT / end;
        Legend legend = new Legend(timeline.roles(), MARGIN, Svg.WIDE - 2 * MARGIN);
        int top = MARGIN + legend.height() + Svg.LINE;
        int column = (Svg.WIDE - LEFT) / Math.max(1, timeline.roles().size());
        Svg svg = new Svg(Svg.WIDE, top + HEIGHT + Svg.LINE, "Schedule of " + timeline.kernel() + " in time");
        legend.draw(svg, MARGIN);
        for (double at = 0; at <= end; at += tick) {
            int y = top + (int) Math.round(at * scale);
            svg.line(0, y, Svg.WIDE, y).note(MARGIN, y + BASE, Math.round(at) + " ns");
        }
        for (int role = 0; role < timeline.roles().size(); role++) {
            svg.textAround(LEFT + role * column + (column - GAP) / 2, top - MARGIN, Legend.letter(role));
        }
        for (StepTime span : timeline.spans()) {
            int y = top + (int) Math.round(span.from() * scale);
            int high = Math.max(1, top + (int) Math.round(span.to() * scale) - y);
            int x = LEFT + span.role() * column;
            svg.box(Legend.Kind.of(span.action()).hue, x, y, column - GAP, high, span.action() + ", "
                    + Math.round(span.lasts()) + " ns: step " + span.step() + ", " + span.purpose());
            String whole = span.action() + " " + Math.round(span.lasts());
            String text = Svg.wide(whole) <= column - 3 * GAP ? whole : span.action().toString();
            if (high >= Svg.LINE && Svg.wide(text) <= column - 2 * GAP) {
                svg.text(x + GAP, y + BASE, text);
            }
        }
        return svg;
    }

    /** A round number of nanoseconds of which at most {@value #TICKS} fit. */
    private static double tick(double end) {
        double unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, end / TICKS))));
        for (double times : new double[]{1, 2, 5, 10}) {
            if (end / (unit * times) <= TICKS) {
                return unit * times;
            }
        }
        return end;
    }
}
