package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** How a tile comes about. */
public sealed interface TileNode {

    /** The tiles that it is made of. */
    default List<Tile> inputs() {
        return List.of();
    }

    /** This node of other tiles: each that it is made of is changed. */
    default TileNode map(UnaryOperator<Tile> change) {
        Objects.requireNonNull(change, "change");
        if (inputs().isEmpty()) {
            return this;
        }
        throw new AssertionError(this);
    }

    /** How a listing says it. */
    default String text() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT) + " " + inputs().stream().map(Tile::label)
                .collect(Collectors.joining(", "));
    }

    /** Inputs that it takes element by element, aligned at their last axes. */
    default List<Tile> aligned() {
        return List.of();
    }

    /** What is made of one tile. */
    sealed interface OfOne extends TileNode {

        /** The tile. */
        Tile of();

        @Override
        default List<Tile> inputs() {
            return List.of(of());
        }
    }

    /** One value at every place: a constant, a scalar, a dimension or a tile's number. */
    record Full(Value value) implements TileNode {
        public Full {
            NotNull.all("value", value);
        }

        @Override
        public String text() {
            return "full " + Listing.value(value);
        }
    }

    /** The places of a span: its start, then a step more each. */
    record Iota(Span span) implements TileNode {
        public Iota {
            NotNull.all("span", span);
        }

        @Override
        public String text() {
            return "iota " + Listing.span(span);
        }
    }

    /**
     * Elements of a tensor.
     *
     * @param tensor as the kernel declares it
     * @param outside what an element outside of it is
     */
    record Load(Tensor tensor, List<Axis> axes, Value.Const outside) implements TileNode {
        public Load {
            NotNull.all("tensor, axes, outside", tensor, axes, outside);
            axes = List.copyOf(axes);
        }

        @Override
        public List<Tile> inputs() {
            return axes.stream().filter(Axis.Rows.class::isInstance).map(a -> ((Axis.Rows) a).numbers()).toList();
        }

        @Override
        public String text() {
            return "load " + tensor.name() + Listing.places(axes)
                    + (outside.word() == 0 ? "" : " outside 0x" + Long.toHexString(outside.word()));
        }
    }

    /**
     * A function of the elements at one place.
     *
     * @param parameters stand for the inputs' elements in the value
     */
    record Map(List<Tile> inputs, List<Register> parameters, Value value) implements TileNode {
        public Map {
            NotNull.all("inputs, parameters, value", inputs, parameters, value);
            inputs = List.copyOf(inputs);
            parameters = List.copyOf(parameters);
        }

        @Override
        public Map map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Map(inputs.stream().map(change).toList(), parameters, value);
        }

        @Override
        public String text() {
            return TileNode.super.text() + " by " + Listing.value(value);
        }

        @Override
        public List<Tile> aligned() {
            return inputs;
        }
    }

    /** Elements along an axis taken together, in the order of {@link Reduction}; the axis stays, with extent 1. */
    record Reduce(Tile of, int axis, Reduction reduction) implements OfOne {
        public Reduce {
            NotNull.all("of, reduction", of, reduction);
        }

        @Override
        public Reduce map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Reduce(change.apply(of), axis, reduction);
        }

        @Override
        public String text() {
            return reduction + " of " + of.label() + " along " + axis;
        }
    }

    /** The index of the greatest or the least number along an axis: the first of equal ones; 0 if all are NaNs. */
    record Extreme(Tile of, int axis, boolean greatest) implements OfOne {
        public Extreme {
            NotNull.all("of", of);
        }

        @Override
        public Extreme map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Extreme(change.apply(of), axis, greatest);
        }

        @Override
        public String text() {
            return (greatest ? "argmax" : "argmin") + " of " + of.label() + " along " + axis;
        }
    }

    /** Each element taken together with all before it along an axis, in the order of {@link Reduction}. */
    record Scan(Tile of, int axis, Reduction reduction) implements OfOne {
        public Scan {
            NotNull.all("of, reduction", of, reduction);
        }

        @Override
        public Scan map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Scan(change.apply(of), axis, reduction);
        }

        @Override
        public String text() {
            return "scan by " + reduction + " of " + of.label() + " along " + axis;
        }
    }

    /** Axes in another order: axis {@code i} is the tile's axis {@code order[i]}. */
    record Transpose(Tile of, List<Integer> order) implements OfOne {
        public Transpose {
            NotNull.all("of, order", of, order);
            order = List.copyOf(order);
        }

        @Override
        public Transpose map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Transpose(change.apply(of), order);
        }

        @Override
        public String text() {
            return OfOne.super.text() + " to " + order;
        }
    }

    /** The elements in row-major order in another shape. */
    record Reshape(Tile of) implements OfOne {
        public Reshape {
            NotNull.all("of", of);
        }

        @Override
        public Reshape map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Reshape(change.apply(of));
        }
    }

    /** A tile repeated along axes of extent 1, and along axes put in front. */
    record Broadcast(Tile of) implements OfOne {
        public Broadcast {
            NotNull.all("of", of);
        }

        @Override
        public Broadcast map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Broadcast(change.apply(of));
        }

        @Override
        public List<Tile> aligned() {
            return inputs();
        }
    }

    /** Part of an axis; before and after the tile is {@code outside}. */
    record Slice(Tile of, int axis, long first, Value.Const outside) implements OfOne {
        public Slice {
            NotNull.all("of, outside", of, outside);
        }

        @Override
        public Slice map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Slice(change.apply(of), axis, first, outside);
        }

        @Override
        public String text() {
            return OfOne.super.text() + " from " + first + " along " + axis;
        }
    }

    /** {@code c + a b}, k ascending. */
    record Product(Tile c, Tile a, Tile b) implements TileNode {
        public Product {
            NotNull.all("c, a, b", c, a, b);
        }

        @Override
        public List<Tile> inputs() {
            return List.of(c, a, b);
        }

        @Override
        public Product map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new Product(change.apply(c), change.apply(a), change.apply(b));
        }

        @Override
        public String text() {
            return "mma " + c.label() + " + " + a.label() + " " + b.label();
        }
    }

    /** Elements of a tile of rank 1 by their numbers, i32 or i64; 0 where a number is none of an element. */
    record LookUp(Tile table, Tile numbers) implements TileNode {
        public LookUp {
            NotNull.all("table, numbers", table, numbers);
        }

        @Override
        public List<Tile> inputs() {
            return List.of(table, numbers);
        }

        @Override
        public LookUp map(UnaryOperator<Tile> change) {
            Objects.requireNonNull(change, "change");
            return new LookUp(change.apply(table), change.apply(numbers));
        }

        @Override
        public List<Tile> aligned() {
            return List.of(numbers);
        }
    }

    /** A tile that a loop carries from turn to turn, as its body sees it. */
    record Carried(String name) implements TileNode {
        public Carried {
            NotNull.all("name", name);
        }

        @Override
        public String text() {
            return name;
        }
    }

    /** What a loop leaves. */
    record Result(Loop loop, int number) implements TileNode {
        public Result {
            NotNull.all("loop", loop);
        }
    }

    /**
     * A loop: its body as often as said, one turn after the other.
     *
     * @param turn the turn's number in its body, from 0
     * @param initial what is carried into the first turn
     * @param carried what the body sees of it
     * @param next what the body hands on
     * @param parts 1, or into how many parts the turns are split, each of which starts with {@code initial}; what they
     *     leave is added in ascending order
     */
    record Loop(Expr.Var turn, Expr turns, List<Tile> initial, List<Tile> carried, Region body, List<Tile> next,
            int parts) implements Region.Item {
        public Loop {
            NotNull.all("turn, turns, initial, carried, body, next", turn, turns, initial, carried, body, next);
            initial = List.copyOf(initial);
            carried = List.copyOf(carried);
            next = List.copyOf(next);
        }
    }
}
