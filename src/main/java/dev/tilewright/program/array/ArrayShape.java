package dev.tilewright.program.array;

import dev.tilewright.NotNull;
import dev.tilewright.layout.Saturating;
import dev.tilewright.layout.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The place of an array's elements: extents and strides.
 *
 * @param extents of its dimensions, in elements, outermost first; 0 or more
 * @param strides from one place of each dimension to the next, in elements; 0 or more
 */
public record ArrayShape(List<Long> extents, List<Long> strides) {
    public ArrayShape {
        NotNull.all("extents, strides", extents, strides);
        extents = List.copyOf(extents);
        strides = List.copyOf(strides);
        if (extents.size() != strides.size() || extents.stream().anyMatch(e -> e < 0)
                || strides.stream().anyMatch(s -> s < 0)) {
            throw new IllegalArgumentException("an array has an extent and a stride of at least 0 for each dimension, "
                    + "got extents " + extents + " and strides " + strides);
        }
    }

    /**
     * A dense, row-major array.
     *
     * @param extents outermost first
     */
    public static ArrayShape dense(List<Long> extents) {
        NotNull.all("extents", extents);
        List<Long> strides = new ArrayList<>();
        long stride = 1;
        for (long extent : extents.reversed()) {
            strides.addFirst(stride);
            stride = Saturating.multiply(stride, Math.max(1, extent));
        }
        if (stride == Long.MAX_VALUE) {
            throw new IllegalArgumentException("an array of extents " + extents + " has 2^63 - 1 elements or more");
        }
        return new ArrayShape(extents, strides);
    }

    /**
     * A dense, row-major array.
     *
     * @param extents outermost first
     */
    public static ArrayShape dense(long... extents) {
        Objects.requireNonNull(extents, "extents");
        return dense(Shape.of(extents));
    }

    /** How many elements of memory it takes, from its first to its last, gaps included; 0 where it has none. */
    public long reach() {
        if (extents.contains(0L)) {
            return 0;
        }
        long last = 0;
        for (int i = 0; i < extents.size(); i++) {
            last = Math.addExact(last, Math.multiplyExact(extents.get(i) - 1, strides.get(i)));
        }
        return last + 1;
    }

    /** Whether each element's place follows the one before, row by row. */
    public boolean isDense() {
        return equals(dense(extents));
    }

    /** {@code 70 x 150}, and the strides where it is not dense. */
    @Override
    public String toString() {
        String text = String.join(" x ", extents.stream().map(String::valueOf).toList());
        return isDense() ? text : text + " with strides " + strides;
    }
}
