package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.expression.Expr;
import java.util.Objects;

/**
 * How many there are in each of three dimensions, or which of them one is: CUDA's {@code dim3}. The one of place (x, y,
 * z) is number x + y * X + z * X * Y among X by Y by Z, as CUDA counts threads in a block and blocks in a cluster.
 *
 * @param x innermost, at least 0, as the others are
 */
public record Dim3(int x, int y, int z) {
    /** One in each dimension. */
    public static final Dim3 ONE = new Dim3(1, 1, 1);

    public Dim3 {
        if (x < 0 || y < 0 || z < 0) {
            throw new IllegalArgumentException("a dimension is at least 0, got " + x + " x " + y + " x " + z);
        }
    }

    /** One dimension. */
    public static Dim3 of(int x) {
        return new Dim3(x, 1, 1);
    }

    /** Two dimensions. */
    public static Dim3 of(int x, int y) {
        return new Dim3(x, y, 1);
    }

    /** All of them; the largest number, where they are more. */
    public long count() {
        return Saturating.multiply((long) x * y, z);
    }

    /** Whether there is one dimension. */
    public boolean isLine() {
        return y == 1 && z == 1;
    }

    /** Whether these are whole multiples of the other in each dimension. */
    public boolean areMultiplesOf(Dim3 other) {
        Objects.requireNonNull(other, "other");
        return x % other.x == 0 && y % other.y == 0 && z % other.z == 0;
    }

    /** How many of the other there are in each dimension. */
    public Dim3 dividedBy(Dim3 other) {
        Objects.requireNonNull(other, "other");
        return new Dim3(x / other.x, y / other.y, z / other.z);
    }

    /** The number of the one at this place, as an expression of 32 bits: of a thread within its block, for instance. */
    public Expr number(Expr atX, Expr atY, Expr atZ) {
        NotNull.all("atX, atY, atZ", atX, atY, atZ);
        return atZ.times(y).plus(atY).times(x).plus(atX);
    }

    /** The place of the one with this number. */
    public Dim3 place(int number) {
        return new Dim3(number % x, number / x % y, number / x / y);
    }

    /** For messages: the dimensions up to the last that is not 1. */
    public String text() {
        return z != 1 ? x + " x " + y + " x " + z : y != 1 ? x + " x " + y : Integer.toString(x);
    }
}
