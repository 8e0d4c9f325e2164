package dev.tilewright.tensormap;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.Im2colCall;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** Builds an {@link Im2colTensorMap}: an image tensor, the bounding box, and the pixels that one copy visits. */
public final class Im2colTensorMapBuilder
        extends TensorMapBuilder<Im2colTensorMap, Im2colCall, Im2colTensorMapBuilder> {

    private List<Long> lower;
    private List<Long> upper;
    private long channels;
    private long pixels;

    Im2colTensorMapBuilder(TensorDataType type, DimensionOrder order) {
        super(type, order);
    }

    @Override
    Im2colTensorMapBuilder self() {
        return this;
    }

    @Override
    Im2colTensorMap described(Im2colCall call) {
        return Im2colTensorMap.of(call);
    }

    /**
     * Sets where the bounding box starts along each spatial dimension: minus the padding, usually. 0 without this call.
     */
    public Im2colTensorMapBuilder lowerCorner(long... corner) {
        Objects.requireNonNull(corner, "corner");
        lower = order.toInnermostFirst(corner);
        return this;
    }

    /**
     * Sets where the bounding box ends, counted from the last element: padding minus (filter - 1) times dilation,
     * usually. 0 without this call.
     */
    public Im2colTensorMapBuilder upperCorner(long... corner) {
        Objects.requireNonNull(corner, "corner");
        upper = order.toInnermostFirst(corner);
        return this;
    }

    /** Elements of C that one pixel takes. */
    public Im2colTensorMapBuilder channels(long count) {
        channels = count;
        return this;
    }

    /** Pixels that one copy visits. */
    public Im2colTensorMapBuilder pixels(long count) {
        pixels = count;
        return this;
    }

    @Override
    public Im2colCall at(long address) {
        return new Im2colCall(type.cudaValue(), address, dims, byteStrides(), orZeros(lower), orZeros(upper), channels,
                pixels, allElementStrides(), interleave.cudaValue(), swizzle.cudaValue(), l2Promotion.cudaValue(),
                fill.cudaValue());
    }

    private List<Long> orZeros(List<Long> corner) {
        return corner != null ? corner : Collections.nCopies(Math.max(0, dims.size() - 2), 0L);
    }
}
