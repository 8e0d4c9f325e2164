package dev.tilewright.tensormap;

import dev.tilewright.layout.Saturating;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the descriptions do with their lists of dimensions. */
final class Lists {

    private Lists() { }

    static void requireSize(String field, List<?> list, int size) {
        if (list.size() != size) {
            throw new IllegalArgumentException(field + " must have " + size + " entries, got " + list.size());
        }
    }

    /** Byte strides of dimensions 1 and up where nothing lies between rows; stops at the largest long. */
    static List<Long> denseStrides(List<Long> dims, long innerBytes) {
        List<Long> strides = new ArrayList<>();
        long stride = innerBytes;
        for (int d = 0; d < dims.size() - 1; d++) {
            stride = Saturating.multiply(stride, dims.get(d));
            strides.add(stride);
        }
        return Collections.unmodifiableList(strides);
    }

    static List<Long> of(long... values) {
        List<Long> list = new ArrayList<>(values.length);
        for (long value : values) {
            list.add(value);
        }
        return Collections.unmodifiableList(list);
    }
}
