package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;

/**
 * What is the same for all tiles along a dimension of the grid, or in all turns of a loop, whose numbers it does not
 * depend on.
 *
 * @param number of a tile along the dimension, or of a turn
 */
public record Alike(Expr.Var number) {
    public Alike {
        NotNull.all("number", number);
    }

    /** Whether a tensor's places are the same. */
    public boolean places(Axis axis) {
        NotNull.all("axis", axis);
        return switch (axis) {
            case Span span -> !has(span.start());
            case Axis.Rows(Tile numbers) -> tile(numbers);
            case Axis.Patches patches -> !has(patches.pixels().start()) && patches.filter().stream()
                    .noneMatch(this::has);
        };
    }

    /** Whether a tile's elements are the same; what a loop leaves is taken for different. */
    public boolean tile(Tile tile) {
        NotNull.all("tile", tile);
        TileNode node = tile.node();
        return tile.node().inputs().stream().allMatch(this::tile) && switch (node) {
            case TileNode.Load load -> load.axes().stream().allMatch(this::places);
            case TileNode.Iota(Span span) -> places(span);
            case TileNode.Full(var value) -> !ExprSearch.any(value, number::equals);
            case TileNode.Map map -> !ExprSearch.any(map.value(), number::equals);
            case TileNode.Carried _, TileNode.Result _ -> false;
            default -> true;
        };
    }

    /** Whether an expression depends on the number. */
    public boolean has(Expr e) {
        NotNull.all("e", e);
        return ExprSearch.any(e, number::equals);
    }
}
