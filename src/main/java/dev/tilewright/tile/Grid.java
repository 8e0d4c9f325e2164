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
 */
public record Grid(List<Steps> steps, List<Expr.Var> numbers, Region body) {
    public Grid {
        NotNull.all("steps, numbers, body", steps, numbers, body);
        steps = List.copyOf(steps);
        numbers = List.copyOf(numbers);
    }
}
