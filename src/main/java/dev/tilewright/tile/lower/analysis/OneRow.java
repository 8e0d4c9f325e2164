package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.Optional;
import java.util.Set;

/**
 * A gather of one element for each place of a tile, where all places have the same: the row is the place divided by a
 * number of which a tile's length is a part, and tiles begin at multiples of their length.
 *
 * @param load of that element
 * @param numbers the rows' numbers, and what they are made of
 */
public record OneRow(TileNode.Load load, Set<Tile> numbers) {
    public OneRow {
        NotNull.all("load, numbers", load, numbers);
        numbers = Set.copyOf(numbers);
    }

    /** Of a gather; nothing where its rows are not known to be one. */
    public static Optional<OneRow> of(TileNode.Load load) {
        NotNull.all("load", load);
        if (!(load.axes().getFirst() instanceof Axis.Rows(Tile numbers)) || !load.axes().stream().skip(1).allMatch(
                axis -> axis instanceof Span span && span.length().size().orElse(0) == 1)
                || !(numbers.node() instanceof TileNode.Map map) || map.inputs().size() != 1
                || !(map.inputs().getFirst().node() instanceof TileNode.Iota(Span span))) {
            return Optional.empty();
        }
        return row(map, span).map(row -> new OneRow(new TileNode.Load(load.tensor(), load.axes().stream().map(axis ->
                axis instanceof Axis.Rows ? new Span(row, Dim.of(1), 1, false) : axis).toList(), load.outside()),
                Set.of(numbers, map.inputs().getFirst())));
    }

    private static Optional<Expr> row(TileNode.Map map, Span span) {
        if (!(map.value() instanceof Value.Binary division) || division.op() != BinaryOp.DIV
                || division.type() != ValueType.I64
                || !division.left().equals(map.parameters().getFirst().get())
                || !(division.right() instanceof Value.Const c)) {
            return Optional.empty();
        }
        long by = c.word();
        long length = span.length().size().orElse(0);
        boolean apart = span.step() == 1 && length > 0 && by > 0 && by % length == 0
                && isMultiple(span.start(), length);
        return apart ? Optional.of(span.start().dividedBy(Expr.of(by))) : Optional.empty();
    }

    /** Whether it is the start of a tile of the grid, whose numbers begin at 0. */
    private static boolean isMultiple(Expr start, long length) {
        return start instanceof Expr.Binary product && product.op() == Expr.Op.MUL && product.right()
                instanceof Expr.Const c && c.value() == length && isNumber(product.left());
    }

    private static boolean isNumber(Expr number) {
        return number instanceof Expr.Var || number instanceof Expr.Convert c && isNumber(c.value());
    }
}
