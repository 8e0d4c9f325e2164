package dev.tilewright.io;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * An array as a {@code .npy} file holds it: what its elements are, how many there are in each dimension, and their
 * bytes in row-major order (the last dimension varies fastest), little-endian, without gaps.
 *
 * @param type what one element is
 * @param shape the number of elements in each dimension, outermost first; empty for a single scalar; at most
 *     {@link #MAX_RANK} numbers, none negative
 * @param data exactly {@link #sizeInBytes(ElementType, List) the bytes that type and shape make}. In an array that
 *     {@link NpyReader} opened this is the file itself, mapped read-only, and lives as long as the arena that was given
 *     to it. Its address need not be a multiple of the element size, because files of other writers need not pad
 *     their headers: read it through the {@code _UNALIGNED} layouts of {@link java.lang.foreign.ValueLayout}.
 */
public record Npy(ElementType type, List<Long> shape, MemorySegment data) {

    /** The most dimensions that NumPy has had in any version ({@code NPY_MAXDIMS}: 32 before 2.0, 64 since). */
    public static final int MAX_RANK = 64;

    /**
     * Checks that the three fit together.
     *
     * @throws IllegalArgumentException if the shape is not one, or the data are not as large as it says
     */
    public Npy {
        NotNull.all("shape, data, type", shape, data, type);
        shape = List.copyOf(shape);
        long expected = sizeInBytes(type, shape);
        if (data.byteSize() != expected) {
            throw new IllegalArgumentException("an array of shape " + shapeText(shape) + " of " + type + " has "
                    + expected + " bytes, got " + data.byteSize());
        }
    }

    /** The number of dimensions: 0 for a scalar. */
    public int rank() {
        return shape.size();
    }

    /** The number of elements: the product of the dimensions, 1 for a scalar. */
    public long elements() {
        return data.byteSize() / type.bytes();
    }

    /** The shape as a new array, outermost dimension first. */
    public long[] dimensions() {
        return shape.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * How many bytes an array takes: the product of its dimensions times the size of an element.
     *
     * <p>As in NumPy, the product of the dimensions other than zero must be representable too, so that every stride
     * can be computed, even those of an array that is empty.
     *
     * @throws IllegalArgumentException if there are more than {@link #MAX_RANK} dimensions, one is negative, or the
     *     size is more than {@link Long#MAX_VALUE} bytes; the message names the shape, the index and the value
     */
    public static long sizeInBytes(ElementType type, List<Long> shape) {
        NotNull.all("type, shape", type, shape);
        if (shape.size() > MAX_RANK) {
            throw new IllegalArgumentException(
                    "it has " + shape.size() + " dimensions, and at most " + MAX_RANK + " are possible");
        }
        long size = type.bytes();
        boolean empty = false;
        for (int i = 0; i < shape.size(); i++) {
            long dimension = shape.get(i);
            if (dimension < 0) {
                throw new IllegalArgumentException("its shape is " + shapeText(shape) + ", and shape[" + i
                        + "] must be at least 0, got " + dimension);
            }
            empty |= dimension == 0;
            if (dimension > 1) {
                if (size > Long.MAX_VALUE / dimension) {
                    throw new IllegalArgumentException("its shape is " + shapeText(shape) + " of " + type
                            + ", which is more bytes than a 64-bit size can count");
                }
                size *= dimension;
            }
        }
        return empty ? 0 : size;
    }

    /** A shape as Python writes a tuple: {@code ()}, {@code (3,)}, {@code (3, 4)}. */
    static String shapeText(List<Long> shape) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < shape.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(shape.get(i));
        }
        return text.append(shape.size() == 1 ? ",)" : ")").toString();
    }
}
