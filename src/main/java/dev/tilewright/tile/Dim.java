package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * An extent: a number, a number that the launch gives by name, or one computed of others. Two are the same extent where
 * their names are, so that tensors that share a named dimension must agree in it when they are launched.
 *
 * @param name in messages and as the launch gives it: {@code m}; of a number its digits
 * @param value how many elements
 */
public record Dim(String name, Expr value) {
    public Dim {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }

    /** An extent that is known: 1 or more. */
    public static Dim of(long size) {
        if (size < 1) {
            throw new IllegalArgumentException("an extent must be at least 1, got " + size);
        }
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

    /** The number, where it is known while the kernel is traced. */
    public OptionalLong size() {
        return value.constant();
    }

    boolean isOne() {
        return size().orElse(0) == 1;
    }

    @Override
    public String toString() {
        return name;
    }
}
