package dev.tilewright.tensormap;

import dev.tilewright.layout.Swizzle;
import java.util.List;
import java.util.stream.Stream;

/**
 * What {@code cuTensorMapEncodeTiled} is told about a tensor and the boxes copied from it, without the address: the
 * address is bound when the map is used, so that one description serves many buffers.
 *
 * <p>All lists run from the innermost (contiguous) dimension outwards, as in cuda.h.
 *
 * @param type element type
 * @param dims elements along each dimension, 1 to 5 of them
 * @param strides bytes between neighbours along dimensions 1 and up: one fewer than {@code dims}
 * @param box elements of the box along each dimension, before element strides are applied
 * @param elementStrides step between the elements that are taken, along each dimension
 */
public record TiledTensorMap(
        TensorDataType type,
        List<Long> dims,
        List<Long> strides,
        List<Integer> box,
        List<Integer> elementStrides,
        Interleave interleave,
        Swizzle swizzle,
        L2Promotion l2Promotion,
        OobFill fill) {

    public TiledTensorMap {
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        box = List.copyOf(box);
        elementStrides = List.copyOf(elementStrides);
        int rank = dims.size();
        if (rank < 1 || rank > 5) {
            throw new IllegalArgumentException("rank must be in [1, 5], got " + rank);
        }
        requireSize("strides", strides, rank - 1);
        requireSize("box", box, rank);
        requireSize("elementStrides", elementStrides, rank);
    }

    private static void requireSize(String field, List<?> list, int size) {
        if (list.size() != size) {
            throw new IllegalArgumentException(field + " must have " + size + " entries, got " + list.size());
        }
    }

    /** A dense tensor (no padding between rows) read in boxes without gaps: strides follow from the dimensions. */
    public static TiledTensorMap dense(TensorDataType type, List<Long> dims, List<Integer> box, Swizzle swizzle) {
        long[] strides = new long[dims.size() - 1];
        long stride = type.bytes();
        for (int d = 0; d < strides.length; d++) {
            stride = Math.multiplyExact(stride, dims.get(d));
            strides[d] = stride;
        }
        return new TiledTensorMap(type, dims, java.util.Arrays.stream(strides).boxed().toList(), box,
                Stream.generate(() -> 1).limit(dims.size()).toList(),
                Interleave.NONE, swizzle, L2Promotion.NONE, OobFill.ZERO);
    }

    public int rank() {
        return dims.size();
    }

    /** Elements that one copy moves along dimension {@code d}: the box over the element stride, rounded up. */
    public int boxElements(int d) {
        int step = d == 0 && interleave == Interleave.NONE ? 1 : elementStrides.get(d);
        return Math.ceilDiv(box.get(d), step);
    }

    /** Bytes of one row (dimension 0) of the box in shared memory, without a swizzle's gap. */
    public int rowBytes() {
        return boxElements(0) * type.bytes();
    }

    /** Rows of the box: the product of its extents beyond dimension 0. */
    public int boxRows() {
        int rows = 1;
        for (int d = 1; d < rank(); d++) {
            rows = Math.multiplyExact(rows, boxElements(d));
        }
        return rows;
    }

    /** Bytes that one load counts on its mbarrier: the whole box, in bounds or not, swizzle gaps left out. */
    public int transactionBytes() {
        return Math.multiplyExact(rowBytes(), boxRows());
    }

    /** Shared memory one box takes, swizzle gaps included. */
    public int sharedBytes() {
        return Math.multiplyExact(swizzle.rowPitch(rowBytes()), boxRows());
    }
}
