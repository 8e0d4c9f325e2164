package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Refuses tiles that nothing can hold, and places and elements that neither the executor nor a program computes.
 *
 * @param dims of the kernel, by name
 * @param scalars of the kernel, by name
 * @param numbers of tiles and steps, by {@linkplain Expr.Var#number number}: those that what is traced is within
 */
record TraceRules(Map<String, Dim> dims, Map<String, Parameter.Scalar> scalars, Map<Integer, Expr.Var> numbers) {
    /** Elements: no dimension is as long. */
    private static final long FAR = 1L << 40;

    /** @throws IllegalArgumentException if the shape has more elements than an array of Java, or extents of others */
    void requireShape(List<Dim> shape) {
        shape.forEach(this::requireOwn);
        BigInteger elements = shape.stream().map(dim -> BigInteger.valueOf(dim.size().orElse(1)))
                .reduce(BigInteger.ONE, BigInteger::multiply);
        if (elements.compareTo(BigInteger.valueOf(Integer.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("a tile of shape " + Tensor.shown(shape) + " has " + elements
                    + " elements, and a tile has at most " + Integer.MAX_VALUE + ", as an array of Java: use smaller "
                    + "tiles, or go along it in a loop");
        }
    }

    /** @throws IllegalArgumentException if an extent is neither a number nor of dimensions of this kernel */
    void requireOwn(Dim dim) {
        if (!isOwn(dim)) {
            throw new IllegalArgumentException("extent '" + dim + "' is no dimension of this kernel: make it with "
                    + "dim(\"…\")");
        }
    }

    /** Whether it is a number, a dimension of this kernel, or computed of these. */
    boolean isOwn(Dim dim) {
        return dim.size().isPresent() || dims.get(dim.name()) == dim || !dims.containsKey(dim.name())
                && !(dim.value() instanceof Expr.ParamValue) && !ExprSearch.any(dim.value(), e -> switch (e) {
                    case Expr.ParamValue p -> !dims.containsKey(p.parameter().name());
                    case Expr.Const _, Expr.Named _, Expr.Convert _, Expr.Binary _ -> false;
                    default -> true;
                });
    }

    /** @throws IllegalArgumentException if a place or a value that the node names is not known where a tile begins */
    void require(TileNode node) {
        switch (node) {
            case TileNode.Full(Value value) -> {
                if (value instanceof Value.Index(Expr e)) {
                    requireIndex(e);
                }
                requireScalars(value);
            }
            case TileNode.Iota(Span span) -> {
                requirePlace(span.start());
                if (span.clamped()) {
                    throw new IllegalArgumentException("the places of a span with nearest() are known only within a "
                            + "tensor: leave out nearest(), and clamp the places");
                }
            }
            case TileNode.Load load -> requirePlaces(load.axes());
            case TileNode.Map map -> new ElementRules(this, map.parameters()).require(map.value());
            default -> { }
        }
    }

    /** @throws IllegalArgumentException if a place is not known where a tile begins, or lies in no tensor */
    void requirePlaces(List<Axis> axes) {
        for (Axis axis : axes) {
            switch (axis) {
                case Span span -> {
                    requirePlace(span.start());
                    requireOwn(span.length());
                }
                case Axis.Patches patches -> {
                    requirePlace(patches.pixels().start());
                    patches.filter().forEach(this::requireIndex);
                }
                case Axis.Rows _ -> { }
            }
        }
    }

    private void requirePlace(Expr start) {
        requireIndex(start);
        ExprSearch.any(start, e -> {
            if (e instanceof Expr.Const(long number, var _) && (number < -FAR || number > FAR)) {
                throw new IllegalArgumentException("a place is at most " + FAR + " elements away, which no tensor is "
                        + "long, got " + number);
            }
            return false;
        });
    }

    /** @throws IllegalArgumentException if it is a number, or depends on a value */
    void requireCondition(Expr condition) {
        if (condition.type() != IntType.BOOL) {
            throw new IllegalArgumentException("a condition compares numbers, got the number "
                    + Listing.expr(condition) + ": compare it, such as with isNotEqualTo(0)");
        }
        requireIndex(condition);
    }

    /** @throws IllegalArgumentException if it depends on a value */
    void requireIndex(Expr index) {
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
        requireNumbers(index);
    }

    /** @throws IllegalArgumentException if it has a number of something else than tiles, steps and extents */
    void requireNumbers(Expr index) {
        ExprSearch.any(index, e -> {
            switch (e) {
                case Expr.Var v when numbers.get(v.number()) != v -> throw new IllegalArgumentException("'" + v.name()
                        + "' is no number of a tile or a step here: use it within the loop that it belongs to");
                case Expr.ParamValue p when !dims.containsKey(p.parameter().name()) ->
                        throw new IllegalArgumentException("extent '" + p.parameter().name() + "' is no dimension of "
                                + "this kernel: make it with dim(\"…\")");
                case Expr.Builtin builtin -> throw new IllegalArgumentException("an index is computed of extents and "
                        + "of numbers of tiles and steps, and not of " + builtin.cName()
                        + ": which thread computes what is left to the schedule");
                case Expr.DeviceAddress _, Expr.SharedAddress _ -> throw new IllegalArgumentException("an index is "
                        + "computed of extents and of numbers of tiles and steps, and not of an address");
                case Expr.Binary b when (b.op() == Expr.Op.DIV || b.op() == Expr.Op.REM)
                        && b.right().constant().orElse(1) == 0 -> throw new IllegalArgumentException(
                                "an index is divided by zero: " + Listing.expr(b));
                case Expr.Binary b when (b.op() == Expr.Op.SHL || b.op() == Expr.Op.SHR) && b.right().constant()
                        .stream().noneMatch(bits -> bits >= 0 && bits < Long.SIZE - 1) ->
                                throw new IllegalArgumentException("an index is shifted by a constant from 0 to 62, "
                                        + "got " + Listing.expr(b));
                default -> { }
            }
            return false;
        });
    }

    /** @throws IllegalArgumentException if a scalar is none of this kernel */
    void requireScalars(Value value) {
        if (value instanceof Value.Scalar(Parameter.Scalar scalar) && !scalar.equals(scalars.get(scalar.name()))) {
            throw new IllegalArgumentException("scalar '" + scalar.name() + "' of " + scalar.type() + " is none of "
                    + "this kernel: declare it with scalar(\"" + scalar.name() + "\", …)");
        }
    }
}
