package dev.tilewright.tile;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import java.util.List;

/** The position of a tile in a tensor: a span for each of its leading dimensions. */
public record Position(List<Span> spans) {
    public Position {
        NotNull.all("spans", spans);
        spans = List.copyOf(spans);
    }

    /**
     * The span along a dimension, counted from the outermost.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Span get(int dimension) {
        return get(dimension, "span " + dimension);
    }

    /**
     * The span of rows: of the last dimension but one.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Span row() {
        return get(spans.size() - 2, "row, which is the last span but one");
    }

    /**
     * The span of columns: of the last dimension.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Span column() {
        return get(spans.size() - 1, "column, which is the last span");
    }

    private Span get(int index, String what) {
        if (index < 0 || index >= spans.size()) {
            throw new IllegalArgumentException("a position of " + Counted.of(spans.size(), "span") + " has no " + what
                    + ": it has one for each dimension that tiles or rows are counted along"
                    + (spans.isEmpty() ? "" : ", get(0)" + (spans.size() == 1 ? "" : " to get(" + (spans.size() - 1)
                            + ")")));
        }
        return spans.get(index);
    }
}
