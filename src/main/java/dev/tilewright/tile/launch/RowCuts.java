package dev.tilewright.tile.launch;

import dev.tilewright.program.array.RowCut;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Whether a launch of a tile kernel may be cut along a dimension: the first of all that is written, along which each
 * tile keeps to its own places. Nothing may depend on where a tile lies, or on how many there are.
 */
final class RowCuts {
    private final TileKernel kernel;
    private final Dim dim;
    private final Expr.Var number;
    private final Expr start;
    private final long length;

    private RowCuts(TileKernel kernel, Dim dim, int step) {
        Grid grid = kernel.grid();
        this.kernel = kernel;
        this.dim = dim;
        this.number = grid.numbers().get(step);
        this.length = grid.steps().get(step).length();
        this.start = number.toS64().times(Expr.of(length));
    }

    /** @throws IllegalArgumentException if there is no such dimension, with the reason */
    static RowCut of(TileKernel kernel) {
        List<Tensor> written = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.IN).toList();
        Set<Dim> first = written.stream().map(t -> t.dims().getFirst()).collect(Collectors.toSet());
        if (first.size() != 1 || first.iterator().next().size().isPresent()) {
            throw refusal(kernel, "what it writes has no first dimension in common, that a launch gives: "
                    + String.join(", ", written.stream().map(Tensor::toString).toList()));
        }
        Dim dim = first.iterator().next();
        int step = IntStream.range(0, kernel.grid().steps().size()).filter(i -> kernel.grid().steps().get(i).dim()
                .equals(dim)).findFirst().orElseThrow(() -> refusal(kernel, "its tiles do not go along '" + dim
                        + "', the first dimension of what it writes"));
        RowCuts cuts = new RowCuts(kernel, dim, step);
        cuts.require(kernel.grid().body());
        return new RowCut(cuts.length, cuts.names(t -> t.role() != Tensor.Role.OUT && cuts.has(t)),
                cuts.names(t -> t.role() != Tensor.Role.IN));
    }

    private static IllegalArgumentException refusal(TileKernel kernel, String reason) {
        return new IllegalArgumentException("kernel '" + kernel.name() + "' cannot be cut into rows: " + reason);
    }

    private List<String> names(Predicate<Tensor> which) {
        return kernel.tensors().stream().filter(which).map(Tensor::name).toList();
    }

    private boolean has(Tensor tensor) {
        return tensor.dims().stream().anyMatch(d -> d.isOf(dim));
    }

    private void require(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> require(tile);
                case Region.Store store -> places(store.tensor(), store.axes());
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

    private void require(Tile tile) {
        switch (tile.node()) {
            case TileNode.Load load -> places(load.tensor(), load.axes());
            case TileNode.Iota(Span span) -> span(span, "tile " + tile);
            case TileNode.Full(Value value) -> requireApart(value, tile);
            case TileNode.Map map -> requireApart(map.value(), tile);
            default -> { }
        }
    }

    /** A tensor that has the dimension has it first, and is touched at the tile's own places. */
    private void places(Tensor tensor, List<Axis> axes) {
        boolean isCut = has(tensor);
        if (isCut && (!tensor.dims().getFirst().equals(dim) || tensor.dims().stream().filter(d ->
                d.isOf(dim)).count() > 1 || !isOwn(axes.getFirst()))) {
            throw refusal(kernel, "a tile touches other places of '" + tensor.name() + "' along '" + dim
                    + "' than its own rows");
        }
        for (Axis axis : isCut ? axes.subList(1, axes.size()) : axes) {
            switch (axis) {
                case Span span -> span(span, "'" + tensor.name() + "'");
                case Axis.Patches patches -> {
                    span(patches.pixels(), "'" + tensor.name() + "'");
                    patches.filter().forEach(e -> requireApart(e, "'" + tensor.name() + "'"));
                }
                case Axis.Rows _ -> { }
            }
        }
    }

    private boolean isOwn(Axis axis) {
        return axis instanceof Span span && span.start().equals(start) && span.step() == 1
                && span.length().size().orElse(Long.MAX_VALUE) <= length;
    }

    private void span(Span span, String what) {
        requireApart(span.start(), what);
        requireApart(span.length().value(), what);
    }

    private void requireApart(Expr e, String what) {
        if (ExprSearch.any(e, this::isOfRows)) {
            throw refusal(kernel, what + " depends on where rows lie along '" + dim + "'");
        }
    }

    private void requireApart(Value value, Tile tile) {
        if (ExprSearch.any(value, this::isOfRows)) {
            throw refusal(kernel, "tile " + tile + " depends on where rows lie along '" + dim + "'");
        }
    }

    /** The tile's number along the dimension, or its extent. */
    private boolean isOfRows(Expr e) {
        return e.equals(number) || e.equals(dim.value());
    }
}
