package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Refuses tiles that nothing can hold, and places that neither the executor nor a program computes. */
final class TraceRules {
    private TraceRules() { }

    /** @throws IllegalArgumentException if the shape has more elements than an array of Java */
    static void requireRoom(List<Dim> shape) {
        BigInteger elements = shape.stream().map(dim -> BigInteger.valueOf(dim.size().orElse(1)))
                .reduce(BigInteger.ONE, BigInteger::multiply);
        if (elements.compareTo(BigInteger.valueOf(Integer.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("a tile of shape " + Tensor.shown(shape) + " has " + elements
                    + " elements, and a tile has at most " + Integer.MAX_VALUE + ", as an array of Java: use smaller "
                    + "tiles, or go along it in a loop");
        }
    }

    /** @throws IllegalArgumentException if a place that the node names depends on a value */
    static void requireIndexes(TileNode node) {
        switch (node) {
            case TileNode.Full(Value.Index(Expr e)) -> requireIndex(e);
            case TileNode.Iota(Span span) -> requireIndex(span.start());
            case TileNode.Load load -> requireIndexes(load.axes());
            default -> { }
        }
    }

    /** @throws IllegalArgumentException if a place depends on a value */
    static void requireIndexes(List<Axis> axes) {
        for (Axis axis : axes) {
            switch (axis) {
                case Span span -> requireIndex(span.start());
                case Axis.Patches patches -> {
                    requireIndex(patches.pixels().start());
                    patches.filter().forEach(TraceRules::requireIndex);
                }
                case Axis.Rows _ -> { }
            }
        }
    }

    /** @throws IllegalArgumentException if it depends on a value */
    static void requireIndex(Expr index) {
        List<String> scalars = new ArrayList<>();
        ValueSearch.any(index, value -> {
            if (value instanceof Value.Scalar scalar) {
                scalars.add("scalar '" + scalar.parameter().name() + "'");
            }
            return false;
        });
        if (ExprSearch.any(index, e -> e instanceof Expr.OfValue)) {
            throw new IllegalArgumentException("places and conditions of tiles are computed of extents and of numbers "
                    + "of tiles and steps, and not of " + (scalars.isEmpty() ? "values" : scalars.getFirst())
                    + ": take rows by a tile of their numbers, such as x.gather(k.iota(at.row()).plus(k.full(…)))");
        }
    }
}
