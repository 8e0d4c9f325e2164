package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import java.util.Objects;

/**
 * A dimension in steps: turn {@code i} of a loop has the span from {@code i * length} on; the last may reach beyond the
 * end.
 */
public record Steps(Dim dim, int length) {
    public Steps {
        Objects.requireNonNull(dim, "dim");
        if (length < 1) {
            throw new IllegalArgumentException("a step must have at least 1 element, got " + length);
        }
    }

    /** How many there are. */
    public Expr count() {
        return dim.value().plus(Expr.of((long) length - 1)).dividedBy(Expr.of((long) length));
    }

    Span span(Expr turn) {
        Expr start = turn.toS64().times(length);
        return (length == 1 ? Span.at(start) : Span.of(start, length)).along(dim);
    }
}
