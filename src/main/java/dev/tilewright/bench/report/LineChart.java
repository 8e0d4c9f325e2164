package dev.tilewright.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Lines over one axis, such as bandwidth against size: one line for each mechanism. */
record LineChart(String id, String title, String caption, ChartAxis x, ChartAxis y, List<Series> series,
        List<Level> levels)
        implements Chart {

    @Override
    public DataTable table() {
        TreeSet<Double> xs = new TreeSet<>();
        series.forEach(s -> s.points().forEach(p -> xs.add(p.x())));
        List<String> head = new ArrayList<>(List.of(y.title()));
        xs.forEach(at -> head.add(x.scale() == ChartAxis.Scale.BYTES ? Figures.bytes(at.longValue())
                : Figures.number(at)));
        List<List<String>> rows = new ArrayList<>();
        for (Series s : series) {
            List<String> row = new ArrayList<>(List.of(s.name()));
            xs.forEach(at -> row.add(s.points().stream().filter(p -> p.x() == at).findFirst()
                    .map(p -> Figures.number(p.y())).orElse("")));
            rows.add(row);
        }
        for (Level level : levels) {
            List<String> row = new ArrayList<>(List.of(level.name()));
            xs.forEach(at -> row.add(Figures.number(level.value())));
            rows.add(row);
        }
        return new DataTable(head, rows);
    }
}
