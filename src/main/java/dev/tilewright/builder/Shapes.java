package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Arithmetic on array shapes and tile extents that the builders share. Shapes run from the outermost dimension in. */
final class Shapes {

    /** The most tiles of one launch: room for a tile number plus a few grids in 32 bits. */
    private static final long MOST_TILES = 1L << 30;

    private Shapes() { }

    /** Room for a byte number plus a few tiles in 64 bits. */
    private static final long MOST_BYTES = 1L << 62;

    /**
     * Elements of an array.
     *
     * @throws BadRequestException if a dimension is negative, or if the dimensions other than zero make more bytes
     *     than 2^62, so that strides can be computed for an empty array too
     */
    static long elements(List<Long> shape, ElementType type) {
        long bytes = type.bytes();
        for (long n : shape) {
            if (n < 0) {
                throw new BadRequestException("a dimension cannot be negative: shape " + text(shape));
            }
            if (n > MOST_BYTES / bytes) {
                throw new BadRequestException("an array of shape " + text(shape) + " " + type
                        + " is too large: at most 2^62 bytes");
            }
            bytes *= Math.max(n, 1);
        }
        return shape.contains(0L) ? 0 : bytes / type.bytes();
    }

    /**
     * The shape of a dense array when seen with another number of dimensions: surplus outer dimensions are multiplied
     * into one, missing ones are added with extent 1.
     */
    static List<Long> withRank(List<Long> shape, int rank) {
        List<Long> result = new ArrayList<>(shape);
        while (result.size() < rank) {
            result.addFirst(1L);
        }
        while (result.size() > rank) {
            long outer = result.removeFirst();
            result.set(0, Math.multiplyExact(outer, result.getFirst()));
        }
        return result;
    }

    static int tiles(List<Long> counts) {
        long tiles = 1;
        for (long n : counts) {
            tiles *= n;
            if (tiles > MOST_TILES) {
                throw new BadRequestException("that makes more than " + MOST_TILES + " tiles: choose a larger tile");
            }
        }
        return (int) tiles;
    }

    static String text(List<? extends Number> extents) {
        return extents.stream().map(Object::toString).collect(Collectors.joining("x"));
    }
}
