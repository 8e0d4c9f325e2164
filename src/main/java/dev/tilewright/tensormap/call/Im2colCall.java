package dev.tilewright.tensormap.call;

import dev.tilewright.NotNull;
import java.util.List;
import org.apache.commons.lang3.Validate;

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
        dims = List.copyOf(Validate.noNullElements(dims, "dims: element %d is null"));
        strides = List.copyOf(Validate.noNullElements(strides, "strides: element %d is null"));
        lower = List.copyOf(Validate.noNullElements(lower, "lower: element %d is null"));
        upper = List.copyOf(Validate.noNullElements(upper, "upper: element %d is null"));
        elementStrides = List.copyOf(Validate.noNullElements(elementStrides, "elementStrides: element %d is null"));
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
