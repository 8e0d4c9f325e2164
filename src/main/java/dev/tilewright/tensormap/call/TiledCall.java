package dev.tilewright.tensormap.call;

import dev.tilewright.NotNull;
import java.util.List;

/** The arguments of {@code cuTensorMapEncodeTiled}; see {@link EncodeCall} for what the common ones mean. */
public record TiledCall(long dataType, long address, List<Long> dims, List<Long> strides, List<Long> box,
        List<Long> elementStrides, long interleave, long swizzle, long l2Promotion, long fill) implements EncodeCall {

    public TiledCall {
        NotNull.all("dims, strides, box, elementStrides", dims, strides, box, elementStrides);
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        box = List.copyOf(box);
        elementStrides = List.copyOf(elementStrides);
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
