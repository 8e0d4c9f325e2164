package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import java.util.Objects;
import java.util.Optional;

/**
 * Consecutive or evenly spaced places along one dimension: {@code start}, {@code start + step} and so on. It may reach
 * outside the tensor at either end: what is loaded there is the tensor's value outside, or of {@link #nearest} places
 * what the nearest place within holds; what is stored there is dropped.
 *
 * @param start the first place, in elements; may be negative
 * @param length how many places
 * @param step from one place to the next, in elements, 1 or more
 * @param single whether it is one place whose dimension a tile does not have
 * @param clamped whether a place outside of the dimension stands for the nearest within
 * @param dimension whose places these are, as of a tile's position: no tensor takes them along a dimension of another
 *     name; nothing of places that a kernel computes
 */
public record Span(Expr start, Dim length, int step, boolean single, boolean clamped, Optional<Dim> dimension)
        implements Axis {
    public Span {
        NotNull.all("start, length, dimension", start, length, dimension);
        if (step < 1) {
            throw new IllegalArgumentException("a span's step must be at least 1, got " + step);
        }
        if (single && !length.isOne()) {
            throw new IllegalArgumentException("a single place has length 1, got " + length);
        }
        start = start.toS64();
    }

    /** A span of computed places. */
    public Span(Expr start, Dim length, int step, boolean single, boolean clamped) {
        this(start, length, step, single, clamped, Optional.empty());
    }

    /** A span of computed places, of which those outside are outside of the tensor. */
    public Span(Expr start, Dim length, int step, boolean single) {
        this(start, length, step, single, false);
    }

    /**
     * Places from a start on.
     *
     * @param start in elements
     * @param length how many
     */
    public static Span of(Expr start, int length) {
        Objects.requireNonNull(start, "start");
        return new Span(start, Dim.of(length), 1, false);
    }

    /** Places from a start on. */
    public static Span of(long start, int length) {
        return of(Expr.of(start), length);
    }

    /** All of a dimension. */
    public static Span all(Dim dim) {
        Objects.requireNonNull(dim, "dim");
        return new Span(Expr.of(0L), dim, 1, false).along(dim);
    }

    /** A single index; the tile lacks this dimension. */
    public static Span at(Expr place) {
        Objects.requireNonNull(place, "place");
        return new Span(place, Dim.of(1), 1, true);
    }

    /** A single index; the tile lacks this dimension. */
    public static Span at(long place) {
        return at(Expr.of(place));
    }

    /**
     * These places along another dimension than the one that they are counted along, such as the rows of a tile as the
     * columns of a square matrix, or channels whose number is that of another tensor's.
     */
    public Span along(Dim dim) {
        Objects.requireNonNull(dim, "dim");
        return new Span(start, length, step, single, clamped, Optional.of(dim));
    }

    /** Moved by some elements: places along any dimension. */
    public Span plus(Expr elements) {
        Objects.requireNonNull(elements, "elements");
        return new Span(start.plus(elements), length, step, single, clamped);
    }

    /** Moved by some elements: places along any dimension. */
    public Span plus(long elements) {
        return plus(Expr.of(elements));
    }

    /** This span with more places before and after: the halo of a stencil. The length must be known. */
    public Span widened(int before, int after) {
        long size = length.size().orElseThrow(() -> new IllegalArgumentException("only a span whose length is known is "
                + "widened, and '" + length + "' is given at launch: take a tile of a known extent"));
        return new Span(start.minus(Expr.of((long) before * step)), Dim.of(size + before + after), step, false,
                clamped, dimension);
    }

    /** Places some elements apart, from this start on and as many: places along any dimension. */
    public Span every(int elements) {
        return new Span(start, length, elements, single, clamped);
    }

    /** This place as a dimension of extent 1. */
    public Span kept() {
        return new Span(start, length, step, false, clamped, dimension);
    }

    /** This span with places outside of the dimension clamped to the nearest place within, for loads. */
    public Span nearest() {
        return new Span(start, length, step, single, true, dimension);
    }

    /** These places in a node, where it is known which dimension they lie in. */
    Span placed() {
        return new Span(start, length, step, single, clamped);
    }

    @Override
    public int covers() {
        return 1;
    }

    @Override
    public String toString() {
        return start + (single ? "" : " to +" + length + (step == 1 ? "" : " by " + step))
                + (clamped ? " or nearest" : "");
    }
}
