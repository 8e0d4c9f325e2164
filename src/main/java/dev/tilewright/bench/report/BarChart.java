package dev.tilewright.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Bars one below the other, each with its name and value, such as what a launch costs. */
record BarChart(String id, String title, String caption, ChartAxis x, List<Bar> bars, List<Level> levels,
        List<Side> sides)
        implements Chart {

    /** What the bars of a role are called. */
    record Side(Role role, String name) { }

    /**
     * @param group what bars beside each other have in common, and stand below
     * @param name what tells a bar from the others of its group; of a bar alone in its group it is not shown
     * @param note more about the bar, such as the spread; may be empty
     */
    record Bar(String group, String name, Role role, double value, String note) { }

    @Override
    public DataTable table() {
        List<List<String>> rows = new ArrayList<>();
        bars.forEach(b -> rows.add(List.of(b.group(), b.name(), Figures.number(b.value()), b.note())));
        levels.forEach(l -> rows.add(List.of(l.name(), "", Figures.number(l.value()), "")));
        return new DataTable(List.of("", "", x.title(), "quartiles"), rows);
    }
}
