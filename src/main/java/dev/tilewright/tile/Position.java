package dev.tilewright.tile;

import dev.tilewright.NotNull;
import java.util.List;

/** The position of a tile in a tensor: a span for each of its leading dimensions. */
public record Position(List<Span> spans) {
    public Position {
        NotNull.all("spans", spans);
        spans = List.copyOf(spans);
    }

    /** The span along a dimension, counted from the outermost. */
    public Span get(int dimension) {
        return spans.get(dimension);
    }

    /** The span of rows: of the last dimension but one. */
    public Span row() {
        return spans.get(spans.size() - 2);
    }

    /** The span of columns: of the last dimension. */
    public Span column() {
        return spans.getLast();
    }
}
