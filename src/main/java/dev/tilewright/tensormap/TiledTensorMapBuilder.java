package dev.tilewright.tensormap;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;
import java.util.Objects;

/** Builds a {@link TiledTensorMap}: a tensor, and the box that one copy takes from it. */
public final class TiledTensorMapBuilder extends TensorMapBuilder<TiledTensorMap, TiledCall, TiledTensorMapBuilder> {

    private List<Long> box = List.of();

    TiledTensorMapBuilder(TensorDataType type, DimensionOrder order) {
        super(type, order);
    }

    @Override
    TiledTensorMapBuilder self() {
        return this;
    }

    @Override
    TiledTensorMap described(TiledCall call) {
        return TiledTensorMap.of(call);
    }

    /** Elements of the box along each dimension, before element strides are applied. */
    public TiledTensorMapBuilder box(long... extents) {
        Objects.requireNonNull(extents, "extents");
        box = order.toInnermostFirst(extents);
        return this;
    }

    @Override
    public TiledCall at(long address) {
        return new TiledCall(type.cudaValue(), address, dims, byteStrides(), box, allElementStrides(),
                interleave.cudaValue(), swizzle.cudaValue(), l2Promotion.cudaValue(), fill.cudaValue());
    }
}
