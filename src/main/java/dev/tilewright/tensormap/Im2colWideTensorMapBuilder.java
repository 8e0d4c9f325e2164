package dev.tilewright.tensormap;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.Im2colWideCall;
import java.util.Objects;

/** Builds an {@link Im2colWideTensorMap}: an image tensor and a walk along W. */
public final class Im2colWideTensorMapBuilder
        extends TensorMapBuilder<Im2colWideTensorMap, Im2colWideCall, Im2colWideTensorMapBuilder> {

    private long lowerWidth;
    private long upperWidth;
    private long channels;
    private long pixels;
    private Im2colWideMode wideMode = Im2colWideMode.W;

    Im2colWideTensorMapBuilder(TensorDataType type, DimensionOrder order) {
        super(type, order);
    }

    @Override
    Im2colWideTensorMapBuilder self() {
        return this;
    }

    @Override
    Im2colWideTensorMap described(Im2colWideCall call) {
        return Im2colWideTensorMap.of(call);
    }

    /**
     * Sets where the bounding box starts along W, and where it ends, counted from the last element; 0 without this
     * call.
     */
    public Im2colWideTensorMapBuilder widthCorners(long lower, long upper) {
        lowerWidth = lower;
        upperWidth = upper;
        return this;
    }

    /** Elements of C that one pixel takes. */
    public Im2colWideTensorMapBuilder channels(long count) {
        channels = count;
        return this;
    }

    /** Pixels that one copy visits in mode W. */
    public Im2colWideTensorMapBuilder pixels(long count) {
        pixels = count;
        return this;
    }

    /** How the copy walks; W without this call. */
    public Im2colWideTensorMapBuilder wideMode(Im2colWideMode mode) {
        wideMode = Objects.requireNonNull(mode, "wideMode");
        return this;
    }

    @Override
    public Im2colWideCall at(long address) {
        return new Im2colWideCall(type.cudaValue(), address, dims, byteStrides(), lowerWidth, upperWidth, channels,
                pixels, allElementStrides(), interleave.cudaValue(), wideMode.cudaValue(), swizzle.cudaValue(),
                l2Promotion.cudaValue(), fill.cudaValue());
    }
}
