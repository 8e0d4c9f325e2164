package dev.tilewright.verify;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where two arrays differ.
 *
 * @param bytes how many bytes differ
 * @param first offset of the first of them
 * @param expected the byte that should be there
 * @param actual the byte that is there
 */
public record Difference(long bytes, long first, byte expected, byte actual) {

    /** The difference between two arrays of the same size, if there is one. */
    public static Optional<Difference> between(MemorySegment expected, MemorySegment actual) {
        long end = expected.byteSize();
        if (end != actual.byteSize()) {
            throw new IllegalArgumentException("arrays of " + end + " and " + actual.byteSize()
                    + " bytes cannot be compared");
        }
        long first = expected.mismatch(actual);
        if (first < 0) {
            return Optional.empty();
        }
        long count = 0;
        for (long at = first; at < end; at++) {
            if (expected.get(ValueLayout.JAVA_BYTE, at) != actual.get(ValueLayout.JAVA_BYTE, at)) {
                count++;
            }
        }
        return Optional.of(new Difference(count, first, expected.get(ValueLayout.JAVA_BYTE, first),
                actual.get(ValueLayout.JAVA_BYTE, first)));
    }

    /** One sentence for people. @param shape the array's dimensions, outermost first */
    public String describe(ElementType type, List<Long> shape) {
        return "%s at byte %d, in element [%s]: expected 0x%02X, got 0x%02X".formatted(
                bytes == 1 ? "1 byte differs," : bytes + " bytes differ, the first",
                first, index(first / type.bytes(), shape), expected, actual);
    }

    private static String index(long element, List<Long> shape) {
        List<Long> index = new ArrayList<>();
        for (long extent : shape.reversed()) {
            index.add(element % extent);
            element /= extent;
        }
        Collections.reverse(index);
        return index.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
