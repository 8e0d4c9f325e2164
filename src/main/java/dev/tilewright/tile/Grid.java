package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import java.util.List;

/**
 * The tiles of a launch.
 *
 * @param steps along each dimension, outermost first
 * @param numbers the tile's number along each, from 0
 * @param body what happens for each
 * @param line of the application's source that goes through them, for messages: {@code Gemm.java:17}
 */
public record Grid(List<Steps> steps, List<Expr.Var> numbers, Region body, String line) {
    public Grid {
        NotNull.all("steps, numbers, body, line", steps, numbers, body, line);
        steps = List.copyOf(steps);
        numbers = List.copyOf(numbers);
    }

    /** Whether a span is the tile's own places along a dimension of the grid, or some of them, the first among them. */
    public boolean isOwn(Span span, int dimension) {
        NotNull.all("span", span);
        Steps each = steps.get(dimension);
        return span.step() == 1 && span.length().size().orElse(Long.MAX_VALUE) <= each.length()
                && span.start().equals(numbers.get(dimension).toS64().times(each.length()));
    }

    /** The dimension of a tensor along which these are a tile's own places along one of the grid; -1 if none is. */
    public int along(List<Axis> axes, int dimension) {
        NotNull.all("axes", axes);
        int covered = 0;
        for (Axis axis : axes) {
            if (axis instanceof Span span && isOwn(span, dimension)) {
                return covered;
            }
            covered += axis.covers();
        }
        return -1;
    }

    /**
     * This grid in tiles of other lengths. Every element's bits stay, as none depends on which tile it is in.
     *
     * @param lengths along each dimension, outermost first
     * @throws IllegalArgumentException if a length is less than 1 or there are too few, or elements are taken together,
     *     or depend on their tile's number; the message is a reason
     */
    public Grid inTiles(List<Integer> lengths) {
        NotNull.all("lengths", lengths);
        if (lengths.size() != steps.size()) {
            throw new IllegalArgumentException("a grid of " + steps.size() + " dimensions has a length of tiles along "
                    + "each, got " + lengths);
        }
        return Retiling.of(this, lengths);
    }
}
