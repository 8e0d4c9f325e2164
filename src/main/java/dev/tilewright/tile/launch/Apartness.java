package dev.tilewright.tile.launch;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.List;

/** Looks through a kernel for what makes places along a dimension depend on each other, and refuses the first. */
abstract class Apartness {
    final TileKernel kernel;
    final Dim dim;
    final long length;
    private final Expr.Var number;
    private final int step;

    /** @param step the number of the grid's step along the dimension */
    Apartness(TileKernel kernel, Dim dim, int step) {
        Grid grid = kernel.grid();
        this.kernel = kernel;
        this.dim = dim;
        this.number = grid.numbers().get(step);
        this.length = grid.steps().get(step).length();
        this.step = step;
    }

    /** Refuses places of a tensor that are not a tile's own. */
    abstract void requireOwn(Tensor tensor, List<Axis> axes);

    /** @param reason what does not keep to its own places */
    abstract IllegalArgumentException refusal(String reason);

    void require(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> at(tile.line(), () -> require(tile));
                case Region.Store store -> at(store.line(), () -> require(store));
                case Region.When when -> {
                    requireApart(when.condition(), "a condition");
                    require(when.then());
                }
                case TileNode.Loop loop -> {
                    requireApart(loop.turns(), "a loop");
                    require(loop.body());
                }
            }
        }
    }

    private static void at(String line, Runnable rule) {
        try {
            rule.run();
        } catch (IllegalArgumentException e) {
            throw new LineException(e.getMessage(), line);
        }
    }

    void require(Region.Store store) {
        requireOwn(store.tensor(), store.axes());
    }

    void require(Tile tile) {
        switch (tile.node()) {
            case TileNode.Load load -> requireOwn(load.tensor(), load.axes());
            case TileNode.Iota(Span span) -> requireApart(span, "tile " + tile);
            case TileNode.Full(Value value) -> requireApart(value, tile);
            case TileNode.Map map -> requireApart(map.value(), tile);
            default -> { }
        }
    }

    final boolean has(Tensor tensor) {
        return tensor.dims().stream().anyMatch(d -> d.isOf(dim));
    }

    /** Whether a span is a tile's own places. */
    final boolean isOwn(Span span) {
        return kernel.grid().isOwn(span, step);
    }

    final void requireApart(Span span, String what) {
        requireApart(span.start(), what);
        requireApart(span.length().value(), what);
    }

    final void requireApart(Expr e, String what) {
        if (ExprSearch.any(e, this::isOfPlaces)) {
            throw dependent(what);
        }
    }

    private void requireApart(Value value, Tile tile) {
        if (ExprSearch.any(value, this::isOfPlaces)) {
            throw dependent("tile " + tile);
        }
    }

    /** Refuses what depends on where it lies. */
    abstract IllegalArgumentException dependent(String what);

    /** The tile's number along the dimension, or its extent. */
    private boolean isOfPlaces(Expr e) {
        return e.equals(number) || e.equals(dim.value());
    }
}
