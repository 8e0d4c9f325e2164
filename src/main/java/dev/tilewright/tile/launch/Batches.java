package dev.tilewright.tile.launch;

import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Batch;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Whether places along a dimension are apart: each tile touches its own places of every tensor that has it, elements
 * along it are never taken together, and nothing depends on which place it is, or how many there are.
 */
final class Batches extends Apartness {
    private final Dim stepped;

    private Batches(TileKernel kernel, Dim dim, int step) {
        super(kernel, dim, step);
        this.stepped = kernel.grid().steps().get(step).dim();
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
        return new Batch(Optional.empty(), reasons.isEmpty() ? "the written tensors have no dimension in common"
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
            batches.require(kernel.grid().body());
            if (steps.get(step).length() > 1) {
                // Refused where elements along it are taken together, or depend on which tile they are in.
                kernel.grid().inTiles(IntStream.range(0, steps.size()).mapToObj(i -> steps.get(i).length()
                        * (i == step ? 2 : 1)).toList());
            }
            return Optional.empty();
        } catch (LineException e) {
            // Bits, which the reason is part of, do not depend on where a kernel is written.
            return Optional.of(e.reason());
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage());
        }
    }

    @Override
    void require(Region.Store store) {
        if (store.axes().getFirst() instanceof Axis.Rows && store.tensor().dims().getFirst().isOf(dim)
                || !store.update().isSet() && !has(store.tensor())) {
            throw refusal("'" + store.tensor().name() + "' is updated from several places along");
        }
        super.require(store);
    }

    @Override
    void require(Tile tile) {
        super.require(tile);
        if (tile.shape().stream().anyMatch(extent -> extent.isOf(dim))) {
            throw refusal("tile " + tile + " has all places along");
        }
    }

    /** Of a tensor that has the dimension a tile's own places are touched. */
    @Override
    void requireOwn(Tensor tensor, List<Axis> axes) {
        int dimension = 0;
        for (Axis axis : axes) {
            List<Dim> placed = tensor.dims().subList(dimension, dimension + axis.covers());
            boolean own = placed.stream().anyMatch(d -> d.isOf(dim));
            if (own && !isOwn(axis, placed)) {
                throw refusal("a tile touches other places of '" + tensor.name() + "' than its own along");
            }
            switch (axis) {
                case Span span when !own -> requireApart(span, "'" + tensor.name() + "'");
                case Axis.Patches patches when !own -> requireApart(patches.pixels(), "'" + tensor.name() + "'");
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

    /** All outputs of all images. */
    private static Dim pixels(Convolution convolution, List<Dim> images) {
        Dim pixels = images.getFirst();
        for (int i = 1; i < images.size(); i++) {
            pixels = pixels.times(convolution.outputs(i - 1, images.get(i)));
        }
        return pixels;
    }

    @Override
    IllegalArgumentException dependent(String what) {
        return refusal(what + " depends on where it lies along");
    }

    @Override
    IllegalArgumentException refusal(String reason) {
        return new IllegalArgumentException(reason + " '" + dim + "'");
    }
}
