package dev.tilewright.junit;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.FloatBits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.opentest4j.AssertionFailedError;

/**
 * In which elements two arrays of one type and shape differ, bit by bit: a NaN equals one with the same bits, and -0 is
 * not 0.
 *
 * @param type of the elements
 * @param shape of the arrays
 * @param count elements that differ
 * @param of elements that there are
 * @param first number of the first that differs, row by row
 * @param last number of the last that differs
 * @param expected bits of the first, as they should be
 * @param actual bits of the first, as they are
 */
record ElementDifferences(ElementType type, List<Long> shape, long count, long of, long first, long last, long expected,
        long actual) {

    /**
     * Those between two arrays, if there are some. @throws IllegalArgumentException if type or shape are not the same
     */
    static Optional<ElementDifferences> between(HostArray expected, HostArray actual) {
        if (expected.type() != actual.type() || !expected.shape().equals(actual.shape())) {
            throw new IllegalArgumentException("arrays of " + expected + " and " + actual + " cannot be compared");
        }
        long at = expected.memory().mismatch(actual.memory());
        if (at < 0) {
            return Optional.empty();
        }
        long first = at / expected.type().bytes();
        long last = first;
        long count = 0;
        for (long i = first; i < expected.count(); i++) {
            if (expected.bits(i) != actual.bits(i)) {
                count++;
                last = i;
            }
        }
        return Optional.of(new ElementDifferences(expected.type(), expected.shape(), count, expected.count(), first,
                last, expected.bits(first), actual.bits(first)));
    }

    /** The failure of an assertion. @param what is compared, the start of the message */
    AssertionFailedError failure(String what) {
        return new AssertionFailedError(what + ": " + this, text(expected), text(actual));
    }

    @Override
    public String toString() {
        return count + " of " + of + (of == 1 ? " element " : " elements ")
                + (count == 1 ? "differs, at " : "differ, the first at ")
                + place(first) + (count == 1 ? "" : " and the last at " + place(last)) + ": expected " + text(expected)
                + ", got " + text(actual) + (count == 1 ? "" : " at the first");
    }

    /** Coordinates, outermost first. */
    private String place(long index) {
        List<String> coordinates = new ArrayList<>();
        for (long extent : shape.reversed()) {
            coordinates.add(Long.toString(index % extent));
            index /= extent;
        }
        Collections.reverse(coordinates);
        return "[" + String.join(", ", coordinates) + "]";
    }

    /** The value, and its bits. */
    private String text(long bits) {
        int digits = 2 * type.bytes();
        String value = switch (type) {
            case F16 -> Float.toString(FloatBits.f16(bits));
            case BF16 -> Float.toString(FloatBits.bf16(bits));
            case F32 -> Float.toString(Float.intBitsToFloat((int) bits));
            case F64 -> Double.toString(Double.longBitsToDouble(bits));
            case I8 -> Long.toString((byte) bits);
            case I16 -> Long.toString((short) bits);
            case I32 -> Long.toString((int) bits);
            case I64 -> Long.toString(bits);
            case U8, U16, U32, U64 -> Long.toUnsignedString(bits);
        };
        return value + " (0x" + ("%0" + digits + "X").formatted(bits) + ")";
    }
}
