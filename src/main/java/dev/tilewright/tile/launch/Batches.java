package dev.tilewright.tile.launch;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Batch;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Whether places along a dimension are apart: each tile touches its own places of every tensor that has it, elements
 * along it are never taken together, and nothing depends on which place it is, or how many there are.
 */
final class Batches {
    private final TileKernel kernel;
    private final Dim dim;
    private final Dim stepped;
    private final Expr.Var number;
    private final Expr start;
    private final long length;

    private Batches(TileKernel kernel, Dim dim, int step) {
        Grid grid = kernel.grid();
        this.kernel = kernel;
        this.dim = dim;
        this.stepped = grid.steps().get(step).dim();
        this.number = grid.numbers().get(step);
        this.length = grid.steps().get(step).length();
        this.start = number.toS64().times(Expr.of(length));
    }

    /** The first dimension of what is written that is one, or why none is. */
    static Batch of(TileKernel kernel) {
        List<Tensor> written = kernel.tensors().stream().filter(t -> t.role() != Tensor.Role.IN).toList();
        List<String> reasons = new ArrayList<>();
        for (Dim dim : kernel.dims()) {
            if (written.stream().allMatch(t -> t.dims().stream().anyMatch(d -> d.isOf(dim)))) {
                Optional<String> reason = reason(kernel, dim);
                if (reason.isEmpty()) {
                    return new Batch(Optional.of(dim), "");
                }
                reasons.add(reason.get());
            }
        }
        return new Batch(Optional.empty(), reasons.isEmpty() ? "what is written has none in common"
                : String.join("; ", reasons));
    }

    private static Optional<String> reason(TileKernel kernel, Dim dim) {
        List<Steps> steps = kernel.grid().steps();
        int step = IntStream.range(0, steps.size()).filter(i -> steps.get(i).dim().isOf(dim)).findFirst().orElse(-1);
        if (step < 0 || IntStream.range(0, steps.size()).anyMatch(i -> i != step && steps.get(i).dim().isOf(dim))) {
            return Optional.of("tiles do not go along '" + dim + "'");
        }
        try {
            Batches batches = new Batches(kernel, dim, step);
            batches.region(kernel.grid().body());
            if (steps.get(step).length() > 1) {
                // Refused where elements along it are taken together, or depend on which tile they are in.
                kernel.grid().inTiles(IntStream.range(0, steps.size()).mapToObj(i -> steps.get(i).length()
                        * (i == step ? 2 : 1)).toList());
            }
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage());
        }
    }

    private void region(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> tile(tile);
                case Region.Store store -> {
                    if (store.axes().getFirst() instanceof Axis.Rows && store.tensor().dims().getFirst().isOf(dim)
                            || store.update() != Update.SET && !has(store.tensor())) {
                        throw refusal("'" + store.tensor().name() + "' is updated from several places along");
                    }
                    places(store.tensor(), store.axes());
                }
                case Region.When when -> {
                    requireApart(when.condition(), "a condition");
                    region(when.then());
                }
                case TileNode.Loop loop -> {
                    requireApart(loop.turns(), "a loop");
                    region(loop.body());
                }
            }
        }
    }

    private void tile(Tile tile) {
        switch (tile.node()) {
            case TileNode.Load load -> places(load.tensor(), load.axes());
            case TileNode.Iota(Span span) -> span(span, "tile " + tile);
            case TileNode.Full(Value value) -> requireApart(value, tile);
            case TileNode.Map map -> requireApart(map.value(), tile);
            default -> { }
        }
        if (tile.shape().stream().anyMatch(extent -> extent.isOf(dim))) {
            throw refusal("tile " + tile + " has all places along");
        }
    }

    private boolean has(Tensor tensor) {
        return tensor.dims().stream().anyMatch(d -> d.isOf(dim));
    }

    /** Of a tensor that has the dimension a tile's own places are touched. */
    private void places(Tensor tensor, List<Axis> axes) {
        int dimension = 0;
        for (Axis axis : axes) {
            List<Dim> placed = tensor.dims().subList(dimension, dimension + axis.covers());
            boolean own = placed.stream().anyMatch(d -> d.isOf(dim));
            if (own && !isOwn(axis, placed)) {
                throw refusal("a tile touches other places of '" + tensor.name() + "' than its own along");
            }
            switch (axis) {
                case Span span when !own -> span(span, "'" + tensor.name() + "'");
                case Axis.Patches patches when !own -> span(patches.pixels(), "'" + tensor.name() + "'");
                default -> { }
            }
            if (axis instanceof Axis.Patches patches) {
                patches.filter().forEach(e -> requireApart(e, "'" + tensor.name() + "'"));
            }
            dimension += axis.covers();
        }
        if (tensor.dims().stream().filter(d -> d.isOf(dim)).count() > 1) {
            throw refusal("'" + tensor.name() + "' has twice");
        }
    }

    private boolean isOwn(Axis axis, List<Dim> placed) {
        return switch (axis) {
            case Span span -> placed.getFirst().equals(stepped) && isOwn(span);
            case Axis.Patches patches -> isOwn(patches.pixels()) && stepped.equals(pixels(patches.convolution(),
                    placed));
            case Axis.Rows _ -> false;
        };
    }

    private boolean isOwn(Span span) {
        return span.start().equals(start) && span.step() == 1
                && span.length().size().orElse(Long.MAX_VALUE) <= length;
    }

    /** All outputs of all images. */
    private static Dim pixels(Convolution convolution, List<Dim> images) {
        Dim pixels = images.getFirst();
        for (int i = 1; i < images.size(); i++) {
            pixels = pixels.times(convolution.outputs(i - 1, images.get(i)));
        }
        return pixels;
    }

    private void span(Span span, String what) {
        requireApart(span.start(), what);
        requireApart(span.length().value(), what);
    }

    private void requireApart(Expr e, String what) {
        if (ExprSearch.any(e, this::isOfPlaces)) {
            throw refusal(what + " depends on where it lies along");
        }
    }

    private void requireApart(Value value, Tile tile) {
        if (ExprSearch.any(value, this::isOfPlaces)) {
            throw refusal("tile " + tile + " depends on where it lies along");
        }
    }

    private boolean isOfPlaces(Expr e) {
        return e.equals(number) || e.equals(dim.value());
    }

    private IllegalArgumentException refusal(String reason) {
        return new IllegalArgumentException(reason + " '" + dim + "'");
    }
}
