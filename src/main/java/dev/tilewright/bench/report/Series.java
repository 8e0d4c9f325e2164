package dev.tilewright.bench.report;

import java.util.List;

/** Points of one kind, by x; a line joins them where the chart has lines. */
record Series(String name, Role role, List<Point> points) {

    /** @param note more about the point, such as the schedule that it was reached with; may be empty */
    record Point(double x, double y, String note) { }
}
