package dev.tilewright.gpu.streaming;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.Launchable;
import java.util.ArrayList;
import java.util.List;

/**
 * How an array is cut for a kernel that treats every element by itself: along its outermost dimension. Where one row of
 * that is more than a slab, the outermost dimensions are taken for one, as many as it takes: a dense array is the same
 * bytes, however many dimensions it is seen with.
 *
 * @param rows extent of the dimension that is cut
 * @param inner extents of the others, outermost first
 * @param multiple where it is cut: at whole tiles
 */
record ArrayCut(long rows, List<Long> inner, long multiple) {
    /** Chunks that all mechanisms move whole, in bytes. */
    private static final int CHUNK = 16;

    /**
     * How arrays of a shape are cut.
     *
     * @param tile of the kernel
     * @param slabBytes about how many bytes of the largest array a slab has
     */
    static ArrayCut of(Launchable kernel, List<Integer> tile, List<Long> shape, long slabBytes) {
        long most = Math.max(1, slabBytes / kernel.arrays().stream().mapToInt(array -> array.type().bytes())
                .max().orElseThrow());
        if (shape.isEmpty()) {
            return new ArrayCut(1, List.of(), 1);
        }
        int cut = 1;
        while (cut < shape.size() && elements(shape.subList(cut, shape.size())) > most) {
            cut++;
        }
        List<Long> inner = List.copyOf(shape.subList(cut, shape.size()));
        long rows = elements(shape.subList(0, cut));
        return new ArrayCut(rows, inner, inner.isEmpty() ? elementsOfTiles(tile, most)
                : inner.size() + 1 == tile.size() ? tile.getFirst() : 1);
    }

    /** A number of elements that is whole tiles, or if those are too large whole chunks. */
    private static long elementsOfTiles(List<Integer> extents, long most) {
        long tile = extents.stream().mapToLong(n -> n).reduce(1, Saturating::multiply);
        long whole = tile % CHUNK == 0 ? tile : Saturating.multiply(tile, CHUNK);
        return whole <= most ? whole : CHUNK;
    }

    private static long elements(List<Long> extents) {
        long elements = 1;
        for (long extent : extents) {
            if (extent < 0 || extent > 0 && elements > Long.MAX_VALUE / extent) {
                throw new BadRequestException("an array has extents of at least 0 and less than 2^63 elements, got "
                        + extents);
            }
            elements *= extent;
        }
        return elements;
    }

    /** Elements of a row. */
    long rowElements() {
        return elements(inner);
    }

    /** The shape of this many rows. */
    List<Long> shape(long count) {
        List<Long> shape = new ArrayList<>();
        shape.add(count);
        shape.addAll(inner);
        return shape;
    }
}
