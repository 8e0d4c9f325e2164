package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a choice between elements by their places comes out the same for all of a tile, such as that of a mask: what
 * the least and the greatest places are decides it.
 *
 * @param tile whose elements are chosen there
 * @param condition on numbers of tiles and turns, and on extents, under which all of them are
 */
public record Throughout(Tile tile, Expr condition) {
    public Throughout {
        NotNull.all("tile, condition", tile, condition);
    }

    /** The least and the greatest of integers. */
    private record Range(Expr least, Expr greatest) {
        static Range of(Expr number) {
            return new Range(number.toS64(), number.toS64());
        }
    }

    /**
     * What a function chooses; nothing where it does something else, or not by places and numbers alone.
     *
     * @param numbers what is known of tiles that are one number: which, so small that sums of some do not wrap
     */
    public static Optional<Throughout> of(TileNode.Map map, Function<Tile, Optional<Expr>> numbers) {
        NotNull.all("map, numbers", map, numbers);
        return new Ranges(numbers).of(map);
    }

    /** What is found by known numbers. */
    private record Ranges(Function<Tile, Optional<Expr>> numbers) {
        Optional<Throughout> of(TileNode.Map map) {
            if (!(map.value() instanceof Value.Select(Value condition, Value yes, Value _, var _, var _))) {
                return Optional.empty();
            }
            int chosen = map.parameters().stream().map(Register::get).toList().indexOf(yes);
            return chosen < 0 ? Optional.empty() : holds(map, condition).map(everywhere ->
                    new Throughout(map.inputs().get(chosen), everywhere));
        }

        private Optional<Expr> holds(TileNode.Map map, Value condition) {
            return switch (condition) {
                case Value.Binary and when and.op() == BinaryOp.AND && and.type() == ValueType.PRED ->
                        holds(map, and.left()).flatMap(left -> holds(map, and.right()).map(left::and));
                case Value.Compare(Comparison how, Value left, Value right, var _) -> range(map, left).flatMap(l ->
                        range(map, right).flatMap(r -> always(how, l, r)));
                default -> Optional.empty();
            };
        }

        private Optional<Expr> always(Comparison how, Range left, Range right) {
            return switch (how) {
                case LT -> Optional.of(left.greatest.lessThan(right.least));
                case LE -> Optional.of(left.greatest.atMost(right.least));
                case GT -> Optional.of(left.least.greaterThan(right.greatest));
                case GE -> Optional.of(left.least.atLeast(right.greatest));
                default -> Optional.empty();
            };
        }

        /** Integers of 32 bits are taken for those of 64 that they were: places fit. */
        private Optional<Range> range(TileNode.Map map, Value value) {
            return switch (value) {
                case Value.Index(Expr expr) -> Optional.of(Range.of(expr));
                case Value.Const c when c.type() == ValueType.I32 || c.type() == ValueType.I64 ->
                        Optional.of(Range.of(Expr.of(c.type() == ValueType.I32 ? (int) c.word() : c.word())));
                case Value.Convert(Value of, var _, var _) when isInteger(value) && isInteger(of) -> range(map, of);
                case Value.Binary sum when sum.op() == BinaryOp.ADD && isInteger(sum) -> range(map, sum.left())
                        .flatMap(l -> range(map, sum.right()).map(r -> new Range(l.least.plus(r.least),
                                l.greatest.plus(r.greatest))));
                case Value.Binary rest when rest.op() == BinaryOp.SUB && isInteger(rest) -> range(map, rest.left())
                        .flatMap(l -> range(map, rest.right()).map(r -> new Range(l.least.minus(r.greatest),
                                l.greatest.minus(r.least))));
                case Value.Element _ -> {
                    int input = map.parameters().stream().map(Register::get).toList().indexOf(value);
                    yield input < 0 ? Optional.empty() : range(map.inputs().get(input));
                }
                case Value.Binary some when some.op() == BinaryOp.AND && isInteger(some)
                        && some.right() instanceof Value.Const(ValueType type, long word) && type == ValueType.I32
                        && (int) word >= 0 -> Optional.of(new Range(Expr.of(0L), Expr.of(word)));
                default -> Optional.empty();
            };
        }

        private Optional<Range> range(Tile tile) {
            return switch (tile.node()) {
                case TileNode.Iota(var span) when span.length().size().isPresent() -> {
                    long last = (span.length().size().getAsLong() - 1) * span.step();
                    yield Optional.of(new Range(span.start(), span.start().plus(Expr.of(last))));
                }
                case TileNode.Map map -> range(map, map.value());
                case TileNode.Reshape(Tile of) -> range(of);
                case TileNode.Broadcast(Tile of) -> range(of);
                case TileNode.Load _ -> numbers.apply(tile).map(Range::of);
                default -> Optional.empty();
            };
        }
    }

    private static boolean isInteger(Value value) {
        return value.type() == ValueType.I32 || value.type() == ValueType.I64;
    }
}
