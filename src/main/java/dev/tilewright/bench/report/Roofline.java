package dev.tilewright.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Operations a second against operations for each byte that is moved, below the roof that the memory's rating sets and
 * the levels that arithmetic sets.
 *
 * @param bandwidth bytes a second, the slope of the roof; y is operations a second
 * @param bandwidthName says where that comes from
 * @param peaks of arithmetic, in the unit of y; may be empty
 */
record Roofline(String id, String title, String caption, ChartAxis x, ChartAxis y, double bandwidth,
        String bandwidthName, List<Level> peaks, List<Series> series) implements Chart {

    @Override
    public DataTable table() {
        List<List<String>> rows = new ArrayList<>();
        for (Series s : series) {
            for (Series.Point p : s.points()) {
                double roof = p.x() * bandwidth;
                rows.add(List.of(s.name(), p.note(), Figures.number(p.x()), Figures.number(p.y() / 1e9),
                        Figures.number(roof / 1e9),
                        Figures.ratio(p.y() / roof)));
            }
        }
        return new DataTable(List.of("", "", x.title(), "10⁹ operations a second", "the memory's roof there",
                "of that roof"), rows);
    }
}
