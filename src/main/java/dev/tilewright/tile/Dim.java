package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * An extent: a number, a number that the launch gives by name, or one computed of others. Two are the same extent where
 * their names are, so that tensors that share a named dimension must agree in it when they are launched. A tensor whose
 * extent is computed must have what comes of the named ones.
 *
 * @param name in messages and as the launch gives it: {@code m}; of a number its digits
 * @param value how many elements
 */
public record Dim(String name, Expr value) {
    public Dim {
        NotNull.all("name, value", name, value);
        value.constant().ifPresent(size -> {
            if (size < 1) {
                throw new IllegalArgumentException("an extent must be at least 1, got " + size);
            }
        });
    }

    /** An extent that is known: 1 or more. */
    public static Dim of(long size) {
        return new Dim(Long.toString(size), Expr.of(size));
    }

    /** An extent that the launch's tensors give. */
    static Dim named(String name) {
        return new Dim(name, new Parameter.Int(name, IntType.S64).value());
    }

    /** This times another: the extent of two dimensions taken as one, such as all pixels of all images. */
    public Dim times(Dim other) {
        Objects.requireNonNull(other, "other");
        OptionalLong a = size();
        OptionalLong b = other.size();
        return a.isPresent() && b.isPresent() ? of(Math.multiplyExact(a.getAsLong(), b.getAsLong()))
                : new Dim(name + "*" + other.name, value.times(other.value));
    }

    /** This divided by a number, rounded up: how many runs of that length it has; the last may be cut. */
    public Dim dividedBy(long length) {
        if (length < 1) {
            throw new IllegalArgumentException("an extent is divided by at least 1, got " + length);
        }
        OptionalLong known = size();
        return known.isPresent() ? of(Math.ceilDiv(known.getAsLong(), length))
                : length == 1 ? this : computed("ceil(" + name + "/" + length + ")",
                        value.plus(Expr.of(length - 1)).dividedBy(Expr.of(length)));
    }

    /** An extent computed of others. @param value of constants and of extents, by their sums and other operations */
    static Dim computed(String name, Expr value) {
        return new Dim(name, value);
    }

    /** The number where named dimensions have these extents; nothing where one that it is computed of is not there. */
    public OptionalLong in(Map<String, Long> extents) {
        NotNull.entries("extents", extents);
        boolean known = !ExprSearch.any(value, e -> e instanceof Expr.ParamValue p
                && !extents.containsKey(p.parameter().name()));
        return known ? OptionalLong.of(number(value, extents)) : OptionalLong.empty();
    }

    private static long number(Expr e, Map<String, Long> extents) {
        return switch (e) {
            case Expr.Const(long number, var _) -> number;
            case Expr.Named named -> named.value().value();
            case Expr.ParamValue p -> extents.get(p.parameter().name());
            case Expr.Convert c -> number(c.value(), extents);
            case Expr.Binary b -> Arithmetic.apply(b.op(), b.type(), number(b.left(), extents),
                    number(b.right(), extents));
            default -> throw new IllegalArgumentException("an extent is computed of extents, not of " + e);
        };
    }

    /** Whether this is the given dimension, or computed from it. */
    public boolean isOf(Dim dim) {
        Objects.requireNonNull(dim, "dim");
        return ExprSearch.any(value, e -> e.equals(dim.value));
    }

    /** The number, where it is known while the kernel is traced. */
    public OptionalLong size() {
        return value.constant();
    }

    /** Whether places along it may be places along another: by name, or as one has no name of a tensor's. */
    boolean mayBe(Dim other) {
        boolean isNamed = size().isEmpty() && !ExprSearch.any(value, Expr.Var.class::isInstance);
        return !isNamed || other.size().isPresent() || equals(other);
    }

    boolean isOne() {
        return size().orElse(0) == 1;
    }

    @Override
    public String toString() {
        return name;
    }
}
