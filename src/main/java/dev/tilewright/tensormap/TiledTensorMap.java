package dev.tilewright.tensormap;

import dev.tilewright.NotNull;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The arguments of {@code cuTensorMapEncodeTiled} for a tensor and its boxes, without the address: the address is bound
 * when the map is used, so that one description serves many buffers.
 *
 * <p>All lists run from the innermost (contiguous) dimension outwards, as in cuda.h.
 *
 * @param type element type
 * @param dims elements along each dimension, 1 to 5 of them
 * @param strides bytes between neighbours along dimensions 1 and up: one fewer than {@code dims}
 * @param box elements of the box along each dimension, before element strides are applied
 * @param elementStrides step between the elements that are taken, along each dimension
 */
public record TiledTensorMap(TensorDataType type, List<Long> dims, List<Long> strides, List<Integer> box,
        List<Integer> elementStrides, Interleave interleave, Swizzle swizzle, L2Promotion l2Promotion,
        OobFill fill) implements TensorMap {

    public TiledTensorMap {
        NotNull.all("dims, strides, box, elementStrides, type, interleave, swizzle, l2Promotion, fill",
                dims, strides, box, elementStrides, type, interleave, swizzle, l2Promotion, fill);
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        box = List.copyOf(box);
        elementStrides = List.copyOf(elementStrides);
        int rank = dims.size();
        if (rank < 1 || rank > 5) {
            throw new IllegalArgumentException("rank must be in [1, 5], got " + rank);
        }
        Lists.requireSize("strides", strides, rank - 1);
        Lists.requireSize("box", box, rank);
        Lists.requireSize("elementStrides", elementStrides, rank);
    }

    /**
     * The map that a driver call describes. Whatever {@link Validation} finds no error in can be converted.
     *
     * @throws IllegalArgumentException as {@link TensorMap#of} does
     */
    public static TiledTensorMap of(TiledCall call) {
        Objects.requireNonNull(call, "call");
        return new TiledTensorMap(RawValues.dataType(call.dataType()), call.dims(), call.strides(),
                RawValues.ints("box", call.box()),
                RawValues.ints("elementStride", call.elementStrides()), RawValues.interleave(call.interleave()),
                RawValues.swizzle(call.swizzle()), RawValues.l2Promotion(call.l2Promotion()),
                RawValues.fill(call.fill()));
    }

    /**
     * Starts a description whose lists are given with the outermost dimension first, as NumPy and PyTorch shapes are.
     */
    public static TiledTensorMapBuilder outermostFirst(TensorDataType type) {
        return new TiledTensorMapBuilder(type, DimensionOrder.OUTERMOST_FIRST);
    }

    /** Starts a description whose lists are given with the innermost dimension first, as cuda.h does. */
    public static TiledTensorMapBuilder innermostFirst(TensorDataType type) {
        return new TiledTensorMapBuilder(type, DimensionOrder.INNERMOST_FIRST);
    }

    /** A dense tensor (no padding between rows) read in boxes without gaps: strides follow from the dimensions. */
    public static TiledTensorMap denseInnermostFirst(TensorDataType type, List<Long> dims, List<Integer> box,
            Swizzle swizzle) {
        NotNull.all("type, dims, box, swizzle", type, dims, box, swizzle);
        return new TiledTensorMap(type, dims, Lists.denseStrides(dims, type.bytes()), box,
                Stream.generate(() -> 1).limit(dims.size()).toList(),
                Interleave.NONE, swizzle, L2Promotion.NONE, OobFill.ZERO);
    }

    /** This map with another hint for L2. */
    public TiledTensorMap withL2Promotion(L2Promotion promotion) {
        Objects.requireNonNull(promotion, "promotion");
        return new TiledTensorMap(type, dims, strides, box, elementStrides, interleave, swizzle, promotion, fill);
    }

    /**
     * Elements that one copy moves along dimension {@code d}: the box over the element stride, rounded up. With
     * interleave these are slices of 16 or 32 bytes along dimension 0, and always one along dimension rank - 2
     * (measured on an H200, native-tests/recordings).
     */
    public int boxElements(int d) {
        if (interleave != Interleave.NONE && d == rank() - 2) {
            return 1;
        }
        int step = d == 0 && interleave == Interleave.NONE ? 1 : elementStrides.get(d);
        return Math.ceilDiv(box.get(d), step);
    }

    @Override
    public int rowBytes() {
        return Math.multiplyExact(boxElements(0), switch (interleave) {
            case NONE -> type.bytes();
            case B16 -> 16;
            case B32 -> 32;
        });
    }

    /** Rows of the box: the product of its extents beyond dimension 0. */
    @Override
    public int boxRows() {
        int rows = 1;
        for (int d = 1; d < rank(); d++) {
            rows = Math.multiplyExact(rows, boxElements(d));
        }
        return rows;
    }

    @Override
    public TiledCall at(long address) {
        return new TiledCall(type.cudaValue(), address, dims, strides, RawValues.longs(box),
                RawValues.longs(elementStrides), interleave.cudaValue(), swizzle.cudaValue(),
                l2Promotion.cudaValue(), fill.cudaValue());
    }
}
