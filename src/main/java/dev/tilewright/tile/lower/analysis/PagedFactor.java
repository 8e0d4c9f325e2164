package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A factor of a product whose rows lie in pages, as those of a cache of keys and values: the numbers of a turn's pages
 * are neighbours in a row of a table. Rows from some length on may be zeros instead.
 *
 * @param factor what is loaded, and how it is meant
 * @param table what the numbers are loaded from
 * @param rows of a page
 * @param length how many rows there are, beside zeros: a tile of one number; nothing where all are as they lie
 */
public record PagedFactor(Factor factor, TileNode.Load table, int rows, Optional<Tile> length) {
    public PagedFactor {
        NotNull.all("factor, table, length", factor, table, length);
    }

    /** How a factor lies in pages; nothing where it does not. */
    public static Optional<PagedFactor> of(Tile tile) {
        NotNull.all("tile", tile);
        return switch (tile.node()) {
            case TileNode.Transpose(Tile of, List<Integer> _) -> of(of).map(f -> f.with(!f.factor.exchanged(), f.length,
                    List.of(tile)));
            case TileNode.Map map -> bounded(tile, map);
            case TileNode.Reshape(Tile of) when of.node() instanceof TileNode.Load load -> pages(tile, of, load);
            default -> Optional.empty();
        };
    }

    private PagedFactor with(boolean exchanged, Optional<Tile> bound, List<Tile> more) {
        return new PagedFactor(new Factor(factor.load(), factor.type(), exchanged, Stream.concat(
                factor.tiles().stream(), more.stream()).toList()), table, rows, bound);
    }

    private static Optional<PagedFactor> pages(Tile tile, Tile loaded, TileNode.Load load) {
        List<Axis> axes = load.axes();
        List<Axis> several = axes.stream().filter(axis -> !axis.single()).toList();
        if (several.size() != 3 || !(axes.getFirst() instanceof Axis.Rows(Tile numbers))
                || !(numbers.node() instanceof TileNode.Load table) || axes.getLast() != several.getLast()
                || !axes.subList(1, axes.size()).stream().allMatch(axis -> axis instanceof Span span
                && span.step() == 1 && (span.single() || span.start().equals(Expr.of(0L))))
                || !table.axes().stream().allMatch(axis -> axis instanceof Span span && span.step() == 1
                && span.single() == (axis != table.axes().getLast())) || tile.shape().size() != 2
                || !tile.shape().getLast().equals(several.getLast().length())) {
            return Optional.empty();
        }
        long rows = several.get(1).length().size().orElse(0);
        return rows == 0 ? Optional.empty() : Optional.of(new PagedFactor(new Factor(load, load.tensor().type(), false,
                List.of(numbers, loaded, tile)), table, (int) rows, Optional.empty()));
    }

    /** Zeros where a row's number is not below a length. */
    private static Optional<PagedFactor> bounded(Tile tile, TileNode.Map map) {
        List<Value> of = map.parameters().stream().map(Register::get).toList();
        if (of.size() != 3 || !map.value().equals(of.get(1).lessThan(of.get(2)).choose(of.get(0),
                Value.of(tile.type(), 0))) || !map.inputs().get(2).shape().isEmpty()) {
            return Optional.empty();
        }
        return of(map.inputs().getFirst()).filter(f -> f.length.isEmpty()).flatMap(f ->
                numbers(map.inputs().get(1), f).map(column -> f.with(f.factor.exchanged(),
                        Optional.of(map.inputs().get(2)), List.of(column, tile))));
    }

    /** The column that has each row's number, if these are places from the turn's first page on. */
    private static Optional<Tile> numbers(Tile column, PagedFactor of) {
        Tile tile = column;
        while (tile.node().inputs().size() == 1 && (tile.node() instanceof TileNode.Reshape
                || tile.node() instanceof TileNode.Map map && map.value() instanceof Value.Convert)) {
            tile = tile.node().inputs().getFirst();
        }
        Expr first = ((Span) of.table.axes().getLast()).start();
        return tile.node() instanceof TileNode.Iota(Span span) && span.step() == 1 && column.shape().size() == 2
                && span.start().equals(first.times(Expr.of((long) of.rows))) ? Optional.of(column) : Optional.empty();
    }
}
