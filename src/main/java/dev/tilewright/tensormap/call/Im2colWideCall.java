package dev.tilewright.tensormap.call;

import dev.tilewright.NotNull;
import java.util.List;

/**
 * The arguments of {@code cuTensorMapEncodeIm2colWide} (compute capability 10.0 and later); see {@link EncodeCall} for
 * what the common ones mean.
 *
 * @param lowerWidth how far the bounding box starts after 0 along W
 * @param upperWidth how far it ends after the last element along W
 * @param channels elements of dimension 0 that one pixel takes
 * @param pixels pixels that one copy visits; ignored in mode W128
 * @param wideMode {@code CUtensorMapIm2ColWideMode}
 */
public record Im2colWideCall(long dataType, long address, List<Long> dims, List<Long> strides, long lowerWidth,
        long upperWidth, long channels, long pixels, List<Long> elementStrides, long interleave, long wideMode,
        long swizzle, long l2Promotion, long fill) implements EncodeCall {

    public Im2colWideCall {
        NotNull.all("dims, strides, elementStrides", dims, strides, elementStrides);
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        elementStrides = List.copyOf(elementStrides);
    }

    @Override
    public String mode() {
        return "im2col-wide";
    }

    @Override
    public long innerElements() {
        return channels;
    }
}
