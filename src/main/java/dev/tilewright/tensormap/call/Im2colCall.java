package dev.tilewright.tensormap.call;

import dev.tilewright.NotNull;
import java.util.List;

/**
 * The arguments of {@code cuTensorMapEncodeIm2col}; see {@link EncodeCall} for what the common ones mean.
 *
 * @param lower how far the bounding box starts after 0 along each spatial dimension, innermost (W) first
 * @param upper how far it ends after the last element along each spatial dimension, innermost (W) first
 * @param channels elements of dimension 0 that one pixel takes
 * @param pixels pixels that one copy visits
 */
public record Im2colCall(long dataType, long address, List<Long> dims, List<Long> strides, List<Long> lower,
        List<Long> upper, long channels, long pixels, List<Long> elementStrides, long interleave, long swizzle,
        long l2Promotion, long fill) implements EncodeCall {

    public Im2colCall {
        NotNull.all("dims, strides, lower, upper, elementStrides", dims, strides, lower, upper, elementStrides);
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        lower = List.copyOf(lower);
        upper = List.copyOf(upper);
        elementStrides = List.copyOf(elementStrides);
    }

    @Override
    public String mode() {
        return "im2col";
    }

    @Override
    public long innerElements() {
        return channels;
    }
}
