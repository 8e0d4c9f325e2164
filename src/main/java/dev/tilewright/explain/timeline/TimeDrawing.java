package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Svg;
import org.apache.commons.lang3.StringUtils;

/** A schedule in time drawn: a lane for each role, a box for each step as long as it took. */
final class TimeDrawing {
    private static final int LEFT = 10;
    private static final int TOP = 40;
    private static final int LANE = 54;
    private static final int BOX = 26;
    private static final int WIDTH = 1400;
    private static final int TICKS = 10;
    private static final int CHARACTER = 7;

    private TimeDrawing() {
    }

    static Svg of(GpuTimeline timeline) {
        double end = timeline.spans().stream().mapToDouble(Span::to).max().orElse(1);
        double tick = tick(end);
        double scale = WIDTH / end;
        int bottom = TOP + timeline.roles().size() * LANE;
        Svg svg = new Svg(WIDTH + 2 * LEFT + 40, bottom + 30, "Schedule of " + timeline.kernel() + " in time");
        ScheduleDrawing.legend(svg, LEFT);
        for (double at = 0; at <= end; at += tick) {
            int x = LEFT + (int) Math.round(at * scale);
            svg.line(x, TOP, x, bottom).note(x + 2, bottom + 14, Math.round(at) + " ns");
        }
        for (int role = 0; role < timeline.roles().size(); role++) {
            svg.text(LEFT, TOP + role * LANE + 14, timeline.roles().get(role));
        }
        for (Span span : timeline.spans()) {
            int x = LEFT + (int) Math.round(span.from() * scale);
            int wide = Math.max(1, LEFT + (int) Math.round(span.to() * scale) - x);
            int y = TOP + span.role() * LANE + 20;
            svg.box(ScheduleDrawing.Kind.of(span.deed()).hue, x, y, wide, BOX, span.deed() + ", "
                    + Math.round(span.lasts()) + " ns: step " + span.step() + ", " + span.purpose());
            if (wide > 6 * CHARACTER) {
                svg.text(x + 4, y + 17, StringUtils.abbreviate(span.deed() + " " + Math.round(span.lasts()),
                        Math.max(4, (wide - 8) / CHARACTER)));
            }
        }
        return svg;
    }

    /** A round number of nanoseconds of which some ten fit. */
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
