package dev.tilewright.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Values over two choices, such as bandwidth over tile and stages.
 *
 * @param xs the values of the first choice, from left to right
 * @param ys the values of the second choice, from top to bottom
 */
record HeatMap(String id, String title, String caption, ChartAxis x, ChartAxis y, String unit,
        List<String> xs, List<String> ys,
        List<Cell> cells) implements Chart {

    /** @param x number of the first choice's value @param y of the second's @param note more about it; may be empty */
    record Cell(int x, int y, double value, String note) { }

    @Override
    public DataTable table() {
        List<String> head = new ArrayList<>(List.of(y.title() + " \\ " + x.title()));
        head.addAll(xs);
        List<List<String>> rows = new ArrayList<>();
        for (int row = 0; row < ys.size(); row++) {
            List<String> cellsOfRow = new ArrayList<>(List.of(ys.get(row)));
            for (int column = 0; column < xs.size(); column++) {
                int atRow = row;
                int atColumn = column;
                cellsOfRow.add(cells.stream().filter(c -> c.x() == atColumn && c.y() == atRow).findFirst()
                        .map(c -> Figures.number(c.value())).orElse(""));
            }
            rows.add(cellsOfRow);
        }
        return new DataTable(head, rows);
    }
}
