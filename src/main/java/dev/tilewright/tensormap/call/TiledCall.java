package dev.tilewright.tensormap.call;

import dev.tilewright.NotNull;
import java.util.List;
import org.apache.commons.lang3.Validate;

/** The arguments of {@code cuTensorMapEncodeTiled}; see {@link EncodeCall} for what the common ones mean. */
public record TiledCall(long dataType, long address, List<Long> dims, List<Long> strides, List<Long> box,
        List<Long> elementStrides, long interleave, long swizzle, long l2Promotion, long fill) implements EncodeCall {

    public TiledCall {
        NotNull.all("dims, strides, box, elementStrides", dims, strides, box, elementStrides);
        dims = List.copyOf(Validate.noNullElements(dims, "dims: element %d is null"));
        strides = List.copyOf(Validate.noNullElements(strides, "strides: element %d is null"));
        box = List.copyOf(Validate.noNullElements(box, "box: element %d is null"));
        elementStrides = List.copyOf(Validate.noNullElements(elementStrides, "elementStrides: element %d is null"));
    }

    @Override
    public String mode() {
        return "tile";
    }

    @Override
    public long innerElements() {
        return box.isEmpty() ? 0 : box.getFirst();
    }
}
