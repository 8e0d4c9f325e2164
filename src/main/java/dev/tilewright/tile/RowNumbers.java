package dev.tilewright.tile;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The numbers by which rows are scattered. One that comes from an element outside of its tensor is no row's, unless
 * {@link Tensor#outside} says what such elements are.
 */
record RowNumbers(Trace trace, Grid grid) {
    private static final int NO_ROW = -1;

    /** The numbers, of which those are -1. @param numbers of rank 1, i32 or i64 */
    Tile of(Tile numbers) {
        if (numbers.node() instanceof TileNode.Load load) {
            return inside(load).isEmpty() ? numbers : trace.add(numbers.type(), numbers.shape(), new TileNode.Load(
                    load.tensor(), load.axes(), (Value.Const) Value.of(numbers.type(), NO_ROW)));
        }
        return inside(numbers).map(inside -> Tile.map(List.of(inside, numbers), v -> v.get(0).choose(v.get(1),
                Value.of(numbers.type(), NO_ROW)))).orElse(numbers);
    }

    /** Predicates of elements that come from within their tensors; nothing where all do. */
    private Optional<Tile> inside(Tile tile) {
        return switch (tile.node()) {
            case TileNode.Load load -> inside(load);
            case TileNode.Reshape(Tile of) -> inside(of).map(t -> t.broadcast(of.shape()).reshaped(tile.shape()));
            case TileNode.Transpose(Tile of, List<Integer> order) -> inside(of).map(t -> t.broadcast(of.shape())
                    .transposed(order.stream().mapToInt(i -> i).toArray()));
            case TileNode.Slice(Tile of, int axis, long first, var _) -> inside(of).map(t -> trace.add(t.type(),
                    tile.shape(), new TileNode.Slice(t.broadcast(of.shape()), axis, first, (Value.Const) Value.ofBits(
                            ValueType.PRED, 1))));
            case TileNode node -> all(node.aligned().stream().map(this::inside).flatMap(Optional::stream).toList());
        };
    }

    private static Optional<Tile> all(List<Tile> predicates) {
        return predicates.stream().reduce(Tile::and);
    }

    private Optional<Tile> inside(TileNode.Load load) {
        List<Tile> inside = new ArrayList<>();
        int covered = 0;
        for (int a = 0; a < load.axes().size() && !trace.isOutsideSaid(load); a++) {
            Axis axis = load.axes().get(a);
            Dim dim = load.tensor().dims().get(covered);
            int behind = (int) load.axes().stream().skip(a + 1).filter(other -> !other.single()).count();
            switch (axis) {
                case Span span when isInside(span, dim) -> { }
                case Span span -> {
                    Tile within = within(trace.add(ValueType.I64, List.of(span.length()), new TileNode.Iota(span)),
                            dim);
                    inside.add(span.single() ? within.reshaped() : along(within, behind));
                }
                case Axis.Rows(Tile rows) -> {
                    inside.add(along(within(rows.to(ValueType.I64), dim), behind));
                    inside(rows).ifPresent(tile -> inside.add(along(tile, behind)));
                }
                case Axis.Patches _ -> throw new IllegalArgumentException("rows are scattered by numbers from patches "
                        + "of '" + load.tensor().name() + "', some of which lie in the padding: say with outside(…) "
                        + "which rows these name, -1 for none");
            }
            covered += axis.covers();
        }
        return all(inside);
    }

    private static Tile within(Tile places, Dim dim) {
        return places.map(i -> i.atLeast(Value.of(ValueType.I64, 0)).and(i.lessThan(Value.of(dim.value().toS64()))));
    }

    /** A tile of rank 1 at an axis that has others behind it. */
    private static Tile along(Tile tile, int behind) {
        List<Dim> shape = new ArrayList<>(tile.shape());
        IntStream.range(0, behind).forEach(_ -> shape.add(Dim.of(1)));
        return behind == 0 ? tile : tile.reshaped(shape);
    }

    /** Whether it is so in every launch. */
    private boolean isInside(Span span, Dim dim) {
        OptionalLong extent = dim.size();
        Optional<Long> start = AffineIndex.of(span.start(), Map.of()).filter(AffineIndex::isConstant)
                .map(AffineIndex::constant);
        boolean isWhole = span.step() == 1 && start.equals(Optional.of(0L)) && span.length().equals(dim);
        boolean isKnown = start.isPresent() && extent.isPresent() && span.length().size().isPresent()
                && start.get() >= 0 && start.get() + (span.length().size().getAsLong() - 1) * span.step()
                < extent.getAsLong();
        return span.clamped() || isWhole || isKnown || IntStream.range(0, grid.steps().size()).anyMatch(i ->
                grid.isOwn(span, i) && grid.steps().get(i).dim().equals(dim)
                && (grid.steps().get(i).length() == 1 || extent.orElse(1) % grid.steps().get(i).length() == 0));
    }
}
