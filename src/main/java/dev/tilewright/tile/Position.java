package dev.tilewright.tile;

import java.util.List;
import java.util.Objects;

/** Where a tile lies in a tensor: a span for each of its leading dimensions. */
public record Position(List<Span> spans) {
    public Position {
        Objects.requireNonNull(spans, "spans");
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
