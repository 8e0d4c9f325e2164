package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Tile;
import java.util.ArrayList;
import java.util.List;

/**
 * What a draw may make of tiles that it has. Each of them can be repeated to fill one shape, and so can what is made.
 */
final class TileWords {
    /** What elements of tensors are. */
    static final List<ValueType> TYPES = List.of(ValueType.F32, ValueType.F32, ValueType.F32, ValueType.I32,
            ValueType.I32, ValueType.BF16, ValueType.BF16, ValueType.F16, ValueType.F64, ValueType.I64, ValueType.U64,
            ValueType.U8, ValueType.I8, ValueType.I16, ValueType.U16, ValueType.U32, ValueType.E4M3, ValueType.E5M2);

    private final Draw draw;
    /** Whether what is made of a row depends on this row alone: the first of two axes is left alone. */
    private final boolean apart;
    private final List<Tile> tiles = new ArrayList<>();

    TileWords(Draw draw, boolean apart) {
        this.draw = draw;
        this.apart = apart;
    }

    void add(Tile tile) {
        tiles.add(tile);
    }

    /** A tile of this shape. */
    Tile whole(List<Dim> shape) {
        return draw.any(tiles.stream().filter(t -> t.shape().equals(shape)).toList());
    }

    Tile last() {
        return tiles.getLast();
    }

    /** Makes some more. */
    void grow(int count) {
        for (int i = 0; i < count; i++) {
            Tile x = draw.any(tiles);
            tiles.add(x.type() == ValueType.PRED ? ofPredicates(x) : x.type().isArithmetic() ? ofNumbers(x)
                    : to(x, draw.any(ValueType.F32, ValueType.F16)));
        }
    }

    Tile to(Tile tile, ValueType type) {
        return type == ValueType.PRED ? tile.type() == type ? tile : compared(tile)
                : tile.type() == ValueType.PRED || type == tile.type() || draw.once(2) || !simple(tile.type(), type)
                ? tile.map(x -> ElementWords.to(draw, x, type)) : tile.to(type);
    }

    private Tile compared(Tile tile) {
        Tile number = tile.type().isArithmetic() ? tile : to(tile, ValueType.F32);
        return number.lessThan(number.times(2));
    }

    private static boolean simple(ValueType from, ValueType to) {
        return from.isArithmetic() && to.isArithmetic();
    }

    private Tile ofPredicates(Tile x) {
        Tile y = draw.any(tiles);
        return switch (draw.below(5)) {
            case 0 -> y.type() == ValueType.PRED ? x.and(y) : x.not();
            case 1 -> y.type() == ValueType.PRED ? x.or(y) : x.map(ElementWords.one(draw, x.type()));
            case 2 -> axis(x) < 0 ? x : draw.once(2) ? x.reduce(draw.any(Reduction.ALL, Reduction.ANY), axis(x))
                    : x.scan(draw.any(Reduction.ALL, Reduction.ANY), axis(x));
            case 3 -> y.type() == ValueType.PRED ? x.map(y, ElementWords.two(draw, x.type())) : x.choose(y, y);
            default -> x.choose(y, to(draw.any(tiles), y.type()));
        };
    }

    /** One of a tile's axes along which elements may be taken together, or -1. */
    private int axis(Tile x) {
        int rank = x.shape().size();
        return rank == 0 ? -1 : apart ? rank - 1 : draw.below(rank);
    }

    private Tile ofNumbers(Tile x) {
        Tile z = to(draw.any(tiles), x.type());
        return switch (draw.below(10)) {
            case 0, 1 -> operator(x, z);
            case 2 -> x.map(ElementWords.one(draw, x.type()));
            case 3 -> x.map(z, ElementWords.two(draw, x.type()));
            case 4 -> comparison(x, z);
            case 5 -> to(x, draw.any(TYPES));
            case 6 -> function(x, z);
            case 7 -> axis(x) < 0 ? x : along(x, axis(x));
            case 8 -> Tile.map(List.of(x, z, to(draw.any(tiles), x.type())), v -> v.get(0).minus(v.get(1))
                    .lessThan(v.get(2)).choose(v.get(0), v.get(2)));
            default -> moved(x);
        };
    }

    private Tile operator(Tile x, Tile z) {
        return switch (draw.below(9)) {
            case 0 -> x.plus(z);
            case 1 -> x.minus(z);
            case 2 -> x.times(z);
            case 3 -> x.min(z);
            case 4 -> x.max(z);
            case 5 -> x.plus(3);
            case 6 -> x.minus(2);
            case 7 -> x.times(2);
            default -> x.type().isFloat() ? x.fma(z, x) : x.plus(x);
        };
    }

    private Tile function(Tile x, Tile z) {
        if (x.type().isInteger()) {
            return switch (draw.below(4)) {
                case 0 -> x.and(z);
                case 1 -> x.or(z);
                case 2 -> x.not();
                default -> x.negate();
            };
        }
        boolean real = x.type().bits() >= Float.SIZE;
        return switch (draw.below(real ? 7 : 3)) {
            case 0 -> x.sqrt();
            case 1 -> x.negate();
            case 2 -> x.dividedBy(z);
            case 3 -> x.exp();
            case 4 -> x.log();
            case 5 -> x.rsqrt();
            default -> to(x, ValueType.F32).exp2();
        };
    }

    private Tile comparison(Tile x, Tile z) {
        return switch (draw.below(5)) {
            case 0 -> x.lessThan(z);
            case 1 -> x.atMost(z);
            case 2 -> x.atLeast(z);
            case 3 -> x.isEqualTo(z);
            default -> x.compare(x.type().isFloat() ? draw.any(Comparison.NE, Comparison.ORDERED, Comparison.UNORDERED)
                    : draw.any(Comparison.NE, Comparison.GT), z);
        };
    }

    private Tile along(Tile x, int axis) {
        List<Reduction> reductions = new ArrayList<>(List.of(Reduction.SUM, Reduction.PRODUCT, Reduction.MIN,
                Reduction.MAX));
        reductions.addAll(x.type().isInteger() ? List.of(Reduction.ALL, Reduction.ANY)
                : List.of(Reduction.MIN_NAN, Reduction.MAX_NAN));
        return switch (draw.below(apart ? 8 : 10)) {
            case 0 -> draw.any(x.sum(axis), x.max(axis), x.min(axis));
            case 1 -> x.argMax(axis);
            case 2 -> x.argMin(axis);
            case 3, 4, 5 -> x.reduce(draw.any(reductions), axis);
            case 6, 7 -> x.scan(draw.any(reductions), axis);
            case 8 -> x.reduce(draw.any(reductions));
            default -> draw.any(x.sum(), x.max(), x.min());
        };
    }

    private Tile moved(Tile x) {
        int axis = axis(x);
        if (axis < 0) {
            return x;
        }
        List<Dim> shape = x.shape();
        boolean known = shape.stream().allMatch(dim -> dim.size().isPresent());
        return switch (draw.below(7)) {
            case 0 -> x.shifted(axis, draw.between(-3, 3), 2);
            case 1 -> shape.get(axis).size().isEmpty() ? x
                    : x.slice(axis, draw.below((int) shape.get(axis).size().getAsLong()), 1);
            case 2 -> shape.size() < 2 ? x : x.transposed().scan(Reduction.MAX, shape.size() - 2).transposed();
            case 3 -> known && !apart ? flat(x) : x.shifted(axis, 1, 0);
            case 4 -> x.type().bits() == Integer.SIZE
                    ? x.bitCast(x.type() == ValueType.F32 ? ValueType.U32 : ValueType.I32) : x;
            case 5 -> known && !apart ? lookedUp(x) : x;
            default -> shape.get(axis).size().isEmpty() ? x : part(x, axis, (int) shape.get(axis).size().getAsLong());
        };
    }

    /** Through a tile of rank 1, and back. */
    private Tile flat(Tile x) {
        Tile flat = flatTable(x);
        return (draw.once(2) ? flat.shifted(0, draw.between(-2, 2), 1) : flat.scan(Reduction.MAX, 0))
                .reshaped(x.shape());
    }

    /** Elements of the tile by numbers that it, or another, has: some of them none of an element. */
    private Tile lookedUp(Tile x) {
        Tile numbers = to(draw.any(x, draw.any(tiles)), draw.any(ValueType.I32, ValueType.I64, ValueType.U8));
        return flatTable(x).lookUp(draw.once(2) ? numbers : numbers.map(number -> number.and(Value.of(number.type(),
                3))));
    }

    private static Tile flatTable(Tile x) {
        return x.reshaped(x.shape().stream().mapToLong(dim -> dim.size().orElseThrow()).reduce(1,
                Math::multiplyExact));
    }

    /** Some of an axis, taken together. */
    private Tile part(Tile x, int axis, int size) {
        int first = draw.below(size);
        return x.slice(axis, first, draw.between(1, size - first)).reduce(Reduction.MAX, axis);
    }
}
