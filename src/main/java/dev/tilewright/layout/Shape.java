package dev.tilewright.layout;

import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/** The shape of an array as launches take it, written with numbers of any type: {@code Shape.of(rows, columns)}. */
public final class Shape {

    private Shape() { }

    /** The shape with these dimensions, outermost first. */
    public static List<Long> of(long... dimensions) {
        Objects.requireNonNull(dimensions, "dimensions");
        return LongStream.of(dimensions).boxed().toList();
    }
}
