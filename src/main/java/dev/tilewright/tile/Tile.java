package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.ElementArithmetic;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * An array of values of one type: immutable, and the same wherever it is used. Shapes go together as they are aligned
 * at their last dimension: an extent of 1, or one that is not there, is repeated.
 *
 * <p>Work on elements is that of {@link Value}: {@code x.map(v -> v.times(scale).exp())}; operators and functions have
 * methods of their own. Every operation means the same bits on every device, whatever the schedule: reductions and
 * scans have the order of {@link Reduction}, products that of {@link #mma}.
 */
public final class Tile implements Region.Item, ElementArithmetic<Tile> {
    private final Trace trace;
    private final int number;
    private final ValueType type;
    private final List<Dim> shape;
    private final TileNode node;
    private final Region region;
    private final String line;

    Tile(Trace trace, int number, ValueType type, List<Dim> shape, TileNode node, Region region, String line) {
        this.trace = trace;
        this.number = number;
        this.type = type;
        this.shape = shape;
        this.node = node;
        this.region = region;
        this.line = line;
    }

    /** The type of its elements. */
    public ValueType type() {
        return type;
    }

    /** The tile's extents, outermost first; none of a single value. */
    public List<Dim> shape() {
        return shape;
    }

    /** How it comes about. */
    public TileNode node() {
        return node;
    }

    /** The tile's number in the kernel, in the order in which tiles came about. */
    public int number() {
        return number;
    }

    /** The line of the application's source that the tile comes of: {@code Gemm.java:17}. */
    public String line() {
        return line;
    }

    Region region() {
        return region;
    }

    Trace trace() {
        return trace;
    }

    /** {@code %12}: how listings name it. */
    public String label() {
        return "%" + number;
    }

    // ---- elements

    /** A function of each element. */
    public Tile map(UnaryOperator<Value> function) {
        Objects.requireNonNull(function, "function");
        return map(List.of(this), values -> function.apply(values.getFirst()));
    }

    /** A function of the elements of two tiles. */
    public Tile map(Tile other, BinaryOperator<Value> function) {
        NotNull.all("other, function", other, function);
        return map(List.of(this, other), values -> function.apply(values.getFirst(), values.getLast()));
    }

    /** A function of the elements of several tiles. */
    public static Tile map(List<Tile> tiles, Function<List<Value>, Value> function) {
        NotNull.all("tiles, function", tiles, function);
        List<Tile> inputs = List.copyOf(tiles);
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("a function of elements is given no tile: use full(…)");
        }
        Trace trace = inputs.getFirst().trace;
        List<Register> parameters = IntStream.range(0, inputs.size())
                .mapToObj(i -> new Register("x" + i, inputs.get(i).type, 1, i)).toList();
        Value value = Quotients.defined(Objects.requireNonNull(function.apply(parameters.stream().map(Register::get)
                .toList()), "a function of elements returns null"));
        return trace.add(value.type(), Shapes.common(inputs), new TileNode.Map(inputs, parameters, value));
    }

    /** A function of each element, as {@link #map(UnaryOperator)}. */
    @Override
    public Tile onEach(UnaryOperator<Value> function) {
        return map(function);
    }

    /** A function of the elements of two tiles, as {@link #map(Tile, BinaryOperator)}. */
    @Override
    public Tile onEach(Tile other, BinaryOperator<Value> function) {
        return map(other, function);
    }

    /** {@code this * factor + summand}, rounded once. */
    public Tile fma(Tile factor, Tile summand) {
        NotNull.all("factor, summand", factor, summand);
        return map(List.of(this, factor, summand), v -> v.get(0).fma(v.get(1), v.get(2)));
    }

    /** Chooses elements: the first tile's where this tile of predicates holds, the second's elsewhere. */
    public Tile choose(Tile yes, Tile no) {
        NotNull.all("yes, no", yes, no);
        return map(List.of(this, yes, no), v -> v.get(0).choose(v.get(1), v.get(2)));
    }

    /** This tile as another type; see {@link Value#to(ValueType)}. */
    public Tile to(ValueType to) {
        Objects.requireNonNull(to, "to");
        return to == type ? this : map(x -> x.to(to));
    }

    /** The tile's bits as another type of as many. */
    public Tile bitCast(ValueType to) {
        Objects.requireNonNull(to, "to");
        return to == type ? this : map(x -> x.bitCast(to));
    }

    // ---- reductions and scans

    /** Elements along an axis taken together; the axis stays, with extent 1, so that the result goes with this tile. */
    public Tile reduce(Reduction reduction, int axis) {
        Objects.requireNonNull(reduction, "reduction");
        requireAxis(axis);
        reduction.require(type);
        return trace.add(type, Shapes.with(shape, axis, Dim.of(1)), new TileNode.Reduce(this, axis, reduction));
    }

    /** All elements taken together, along the last axis first, then along the one before: a single value. */
    public Tile reduce(Reduction reduction) {
        Objects.requireNonNull(reduction, "reduction");
        Tile reduced = this;
        for (int axis = shape.size() - 1; axis >= 0; axis--) {
            reduced = reduced.reduce(reduction, axis);
        }
        return reduced.reshaped();
    }

    /** The sum along an axis, which stays with extent 1. */
    public Tile sum(int axis) {
        return reduce(Reduction.SUM, axis);
    }

    /** The sum of all elements. */
    public Tile sum() {
        return reduce(Reduction.SUM);
    }

    /**
     * The greatest number along an axis, which stays with extent 1. To compare each element with a number, write
     * {@code tile.map(x -> x.max(0))}, or {@code tile.max(k.zeros(F32))} for a tile of f32.
     */
    public Tile max(int axis) {
        return reduce(Reduction.MAX, axis);
    }

    /** The greatest number of all. */
    public Tile max() {
        return reduce(Reduction.MAX);
    }

    /**
     * The least number along an axis, which stays with extent 1. To compare each element with a number, write
     * {@code tile.map(x -> x.min(0))}, or {@code tile.min(k.zeros(F32))} for a tile of f32.
     */
    public Tile min(int axis) {
        return reduce(Reduction.MIN, axis);
    }

    /** The least number of all. */
    public Tile min() {
        return reduce(Reduction.MIN);
    }

    /** The index of the greatest number along an axis, as i64: the first of equal ones, 0 if all are NaNs. */
    public Tile argMax(int axis) {
        return extreme(axis, true);
    }

    /** The index of the least number along an axis, as i64: the first of equal ones, 0 if all are NaNs. */
    public Tile argMin(int axis) {
        return extreme(axis, false);
    }

    private Tile extreme(int axis, boolean greatest) {
        requireAxis(axis);
        Reduction.MAX.require(type);
        return trace.add(ValueType.I64, Shapes.with(shape, axis, Dim.of(1)),
                new TileNode.Extreme(this, axis, greatest));
    }

    /** Each element taken together with all before it along an axis. */
    public Tile scan(Reduction reduction, int axis) {
        Objects.requireNonNull(reduction, "reduction");
        requireAxis(axis);
        reduction.require(type);
        return trace.add(type, shape, new TileNode.Scan(this, axis, reduction));
    }

    // ---- shapes

    /** A matrix with rows and columns exchanged: of a tile of higher rank the last two axes. */
    public Tile transposed() {
        int rank = shape.size();
        if (rank < 2) {
            throw new IllegalArgumentException("a tile of rank " + rank + " has no rows and columns to exchange"
                    + (rank == 1 ? ": make it a column, with asColumn()" : ""));
        }
        List<Integer> order = new ArrayList<>(IntStream.range(0, rank).boxed().toList());
        order.set(rank - 2, rank - 1);
        order.set(rank - 1, rank - 2);
        return transposed(order.stream().mapToInt(i -> i).toArray());
    }

    /** Axes in another order: axis {@code i} of the result is this tile's axis {@code order[i]}. */
    public Tile transposed(int... order) {
        Objects.requireNonNull(order, "order");
        if (!IntStream.of(order).sorted().boxed().toList().equals(IntStream.range(0, shape.size()).boxed().toList())) {
            throw new IllegalArgumentException("the order of a tile's " + shape.size() + " axes names each of 0 to "
                    + (shape.size() - 1) + " once, got " + IntStream.of(order).boxed().toList());
        }
        return trace.add(type, IntStream.of(order).mapToObj(shape::get).toList(),
                new TileNode.Transpose(this, IntStream.of(order).boxed().toList()));
    }

    /** The elements, in row-major order, in another shape of as many. */
    public Tile reshaped(long... extents) {
        Objects.requireNonNull(extents, "extents");
        return reshaped(java.util.Arrays.stream(extents).mapToObj(Dim::of).toList());
    }

    /** The elements, in row-major order, in another shape of as many. */
    public Tile reshaped(List<Dim> extents) {
        NotNull.all("extents", extents);
        OptionalLong before = Shapes.count(shape).size();
        OptionalLong after = Shapes.count(extents).size();
        boolean same = before.isPresent() && after.isPresent() ? before.getAsLong() == after.getAsLong()
                : withoutOnes(shape).equals(withoutOnes(extents));
        if (!same) {
            throw new IllegalArgumentException("a tile of shape " + Tensor.shown(shape) + " has not as many elements as"
                    + " " + Tensor.shown(extents) + ": " + Shapes.count(shape) + " and " + Shapes.count(extents));
        }
        return trace.add(type, extents, new TileNode.Reshape(this));
    }

    private static List<Dim> withoutOnes(List<Dim> shape) {
        return shape.stream().filter(dim -> !dim.isOne()).toList();
    }

    /** A tile of rank 1 as a column: with an axis of extent 1 behind its own. */
    public Tile asColumn() {
        List<Dim> extents = new ArrayList<>(shape);
        extents.add(Dim.of(1));
        return reshaped(extents);
    }

    /** The elements repeated to fill a shape. */
    public Tile broadcast(List<Dim> to) {
        NotNull.all("to", to);
        return trace.broadcast(this, List.copyOf(to));
    }

    /** Part of an axis. */
    public Tile slice(int axis, int first, int length) {
        requireAxis(axis);
        long size = shape.get(axis).size().orElseThrow(() -> new IllegalArgumentException("only an axis of a known "
                + "extent is sliced, and '" + shape.get(axis) + "' is given at launch"));
        if (first < 0 || length < 1 || first + (long) length > size) {
            throw new IllegalArgumentException("places " + first + " to " + (first + (long) length - 1)
                    + " are not all within an axis of " + size);
        }
        return trace.add(type, Shapes.with(shape, axis, Dim.of(length)), new TileNode.Slice(this, axis, first, zero()));
    }

    /**
     * Moved along an axis: element {@code i} is the tile's element {@code i - by}, or the number where there is none.
     */
    public Tile shifted(int axis, int by, double outside) {
        requireAxis(axis);
        return trace.add(type, shape, new TileNode.Slice(this, axis, -(long) by,
                (Value.Const) Value.of(type, outside)));
    }

    /**
     * Elements of this tile of rank 1, a table, by their numbers: a tile of the numbers' shape, with 0 where a number
     * is none of an element.
     *
     * @param numbers integers of any type
     */
    public Tile lookUp(Tile numbers) {
        Objects.requireNonNull(numbers, "numbers");
        if (shape.size() != 1) {
            throw new IllegalArgumentException("elements are looked up in a tile of rank 1, got " + this
                    + ": reshape it");
        }
        if (!numbers.type.isInteger()) {
            throw new IllegalArgumentException("elements are looked up by integers, got " + numbers
                    + ": convert it, with to(I32)");
        }
        boolean few = numbers.type.bits() < Integer.SIZE || numbers.type == ValueType.I32;
        return trace.add(type, numbers.shape, new TileNode.LookUp(this, numbers.to(few ? ValueType.I32
                : ValueType.I64)));
    }

    private Value.Const zero() {
        return (Value.Const) Value.ofBits(type, 0);
    }

    // ---- products

    /**
     * This tile of sums plus the product of two matrices, as tensor cores compute it: along k in ascending steps of the
     * depth of an instruction ({@link Multiplication#depth}), in one accumulator. Sums are f32 of f16, bf16, tf32, e4m3
     * and e5m2, i32 of 8-bit integers, f16 of f16, f64 of f64; f32 of f32 is a chain of fused multiply-adds, k
     * ascending.
     *
     * @param a rows by k
     * @param b k by columns
     */
    public Tile mma(Tile a, Tile b) {
        NotNull.all("a, b", a, b);
        Multiplication.require(a.type, b.type, type);
        if (shape.size() != 2 || a.shape.size() != 2 || b.shape.size() != 2) {
            throw new IllegalArgumentException("matrices have rank 2, got sums " + Tensor.shown(shape) + ", a "
                    + Tensor.shown(a.shape) + " and b " + Tensor.shown(b.shape) + ": take one of a batch by Span.at");
        }
        if (!a.shape.get(0).equals(shape.get(0)) || !b.shape.get(1).equals(shape.get(1))
                || !a.shape.get(1).equals(b.shape.get(0))) {
            throw new IllegalArgumentException("a product of " + Tensor.shown(a.shape) + " and " + Tensor.shown(b.shape)
                    + " does not go to sums " + Tensor.shown(shape) + ": a has their rows, b their columns, and "
                    + "both k; transposed() exchanges rows and columns");
        }
        return trace.add(type, shape, new TileNode.Product(this, a, b));
    }

    private void requireAxis(int axis) {
        if (axis < 0 || axis >= shape.size()) {
            throw new IllegalArgumentException("a tile of shape " + Tensor.shown(shape) + " has no axis " + axis
                    + (shape.isEmpty() ? ": it is one element" : ": axes are 0 to " + (shape.size() - 1)));
        }
    }

    /** {@code %12: f32 [128 x 256]}. */
    @Override
    public String toString() {
        return label() + ": " + type + " " + Tensor.shown(shape);
    }
}
