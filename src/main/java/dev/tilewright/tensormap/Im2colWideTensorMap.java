package dev.tilewright.tensormap;

import dev.tilewright.NotNull;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.Im2colWideCall;
import java.util.List;
import java.util.Objects;

/**
 * The arguments of {@code cuTensorMapEncodeIm2colWide} (compute capability 10.0 and later): an im2col walk along W
 * alone, with corners along W alone. Facts are cuda.h's and the PTX ISA's ("im2col::w and im2col::w::128"); none was
 * measured. Lists run from the innermost dimension outwards: C, W, H, D, N.
 *
 * @param type element type
 * @param dims elements along each dimension, 3 to 5 of them
 * @param strides bytes between neighbours along dimensions 1 and up: one fewer than {@code dims}
 * @param lowerWidth where the bounding box starts along W
 * @param upperWidth where it ends along W, counted from the last element
 * @param channels elements of C that one pixel takes
 * @param pixels pixels that one copy visits in mode W; ignored in mode W128
 * @param elementStrides step along each dimension
 */
public record Im2colWideTensorMap(TensorDataType type, List<Long> dims, List<Long> strides, int lowerWidth,
        int upperWidth, int channels, int pixels, List<Integer> elementStrides, Interleave interleave,
        Im2colWideMode wideMode, Swizzle swizzle, L2Promotion l2Promotion, OobFill fill) implements TensorMap {

    public Im2colWideTensorMap {
        NotNull.all("dims, strides, elementStrides, type, interleave, wideMode, swizzle, l2Promotion, fill",
                dims, strides, elementStrides, type, interleave, wideMode, swizzle, l2Promotion, fill);
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        elementStrides = List.copyOf(elementStrides);
        int rank = dims.size();
        if (rank < 3 || rank > 5) {
            throw new IllegalArgumentException("rank must be in [3, 5], got " + rank);
        }
        Lists.requireSize("strides", strides, rank - 1);
        Lists.requireSize("elementStrides", elementStrides, rank);
    }

    /**
     * The map that a driver call describes. Whatever {@link Validation} finds no error in can be converted.
     *
     * @throws IllegalArgumentException as {@link TensorMap#of} does
     */
    public static Im2colWideTensorMap of(Im2colWideCall call) {
        Objects.requireNonNull(call, "call");
        return new Im2colWideTensorMap(RawValues.dataType(call.dataType()), call.dims(), call.strides(),
                RawValues.oneInt("lower", call.lowerWidth()), RawValues.oneInt("upper", call.upperWidth()),
                RawValues.oneInt("channels", call.channels()), RawValues.oneInt("pixels", call.pixels()),
                RawValues.ints("elementStride", call.elementStrides()), RawValues.interleave(call.interleave()),
                RawValues.pick("wideMode", Im2colWideMode.values(), call.wideMode()), RawValues.swizzle(call.swizzle()),
                RawValues.l2Promotion(call.l2Promotion()), RawValues.fill(call.fill()));
    }

    /** Starts a description whose lists are given with the outermost dimension first: N, (D,) (H,) W, C. */
    public static Im2colWideTensorMapBuilder outermostFirst(TensorDataType type) {
        return new Im2colWideTensorMapBuilder(type, DimensionOrder.OUTERMOST_FIRST);
    }

    /** Starts a description whose lists are given with the innermost dimension first: C, W, (H, (D,)) N. */
    public static Im2colWideTensorMapBuilder innermostFirst(TensorDataType type) {
        return new Im2colWideTensorMapBuilder(type, DimensionOrder.INNERMOST_FIRST);
    }

    @Override
    public int rowBytes() {
        return Math.multiplyExact(channels, type.bytes());
    }

    @Override
    public int boxRows() {
        return wideMode == Im2colWideMode.W128 ? 128 : pixels;
    }

    @Override
    public Im2colWideCall at(long address) {
        return new Im2colWideCall(type.cudaValue(), address, dims, strides, lowerWidth, upperWidth, channels, pixels,
                RawValues.longs(elementStrides), interleave.cudaValue(), wideMode.cudaValue(), swizzle.cudaValue(),
                l2Promotion.cudaValue(), fill.cudaValue());
    }
}
