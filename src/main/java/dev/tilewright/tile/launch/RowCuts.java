package dev.tilewright.tile.launch;

import dev.tilewright.program.array.RowCut;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Whether a launch of a tile kernel may be cut along a dimension: the first of all that is written, along which each
 * tile keeps to its own places. Nothing may depend on where a tile lies, or on how many there are.
 */
final class RowCuts extends Apartness {
    private RowCuts(TileKernel kernel, Dim dim, int step) {
        super(kernel, dim, step);
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

    /** A tensor that has the dimension has it first, and is touched at the tile's own places. */
    @Override
    void requireOwn(Tensor tensor, List<Axis> axes) {
        boolean isCut = has(tensor);
        if (isCut && (!tensor.dims().getFirst().equals(dim) || tensor.dims().stream().filter(d ->
                d.isOf(dim)).count() > 1 || !isOwn(axes.getFirst()))) {
            throw refusal("a tile touches other places of '" + tensor.name() + "' along '" + dim
                    + "' than its own rows");
        }
        for (Axis axis : isCut ? axes.subList(1, axes.size()) : axes) {
            switch (axis) {
                case Span span -> requireApart(span, "'" + tensor.name() + "'");
                case Axis.Patches patches -> {
                    requireApart(patches.pixels(), "'" + tensor.name() + "'");
                    patches.filter().forEach(e -> requireApart(e, "'" + tensor.name() + "'"));
                }
                case Axis.Rows _ -> { }
            }
        }
    }

    private boolean isOwn(Axis axis) {
        return axis instanceof Span span && isOwn(span);
    }

    @Override
    IllegalArgumentException dependent(String what) {
        return refusal(what + " depends on where rows lie along '" + dim + "'");
    }

    @Override
    IllegalArgumentException refusal(String reason) {
        return refusal(kernel, reason);
    }
}
