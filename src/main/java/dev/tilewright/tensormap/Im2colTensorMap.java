package dev.tilewright.tensormap;

import dev.tilewright.NotNull;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.Im2colCall;
import java.util.List;
import java.util.Objects;

/**
 * The arguments of {@code cuTensorMapEncodeIm2col}: an image tensor NWC, NHWC or NDHWC whose pixels a copy visits one
 * after another inside a bounding box, each pixel becoming one row of shared memory.
 *
 * <p>All lists run from the innermost dimension outwards: C, W, H, D, N; the corners W, H, D. The bounding box of
 * spatial dimension s is {@code [lower[s], dims[s + 1] - 1 + upper[s]]}, both ends included (measured on an H200).
 *
 * @param type element type
 * @param dims elements along each dimension, 3 to 5 of them
 * @param strides bytes between neighbours along dimensions 1 and up: one fewer than {@code dims}
 * @param lower where the bounding box starts along each spatial dimension: two fewer than {@code dims}
 * @param upper where it ends, counted from the last element: two fewer than {@code dims}
 * @param channels elements of C that one pixel takes
 * @param pixels pixels that one copy visits
 * @param elementStrides step along each dimension; that of C has no effect without interleave
 */
public record Im2colTensorMap(TensorDataType type, List<Long> dims, List<Long> strides, List<Integer> lower,
        List<Integer> upper, int channels, int pixels, List<Integer> elementStrides, Interleave interleave,
        Swizzle swizzle, L2Promotion l2Promotion, OobFill fill) implements TensorMap {

    public Im2colTensorMap {
        NotNull.all("dims, strides, lower, upper, elementStrides, type, interleave, swizzle, l2Promotion, fill",
                dims, strides, lower, upper, elementStrides, type, interleave, swizzle, l2Promotion, fill);
        dims = List.copyOf(dims);
        strides = List.copyOf(strides);
        lower = List.copyOf(lower);
        upper = List.copyOf(upper);
        elementStrides = List.copyOf(elementStrides);
        int rank = dims.size();
        if (rank < 3 || rank > 5) {
            throw new IllegalArgumentException("rank must be in [3, 5], got " + rank);
        }
        Lists.requireSize("strides", strides, rank - 1);
        Lists.requireSize("lower", lower, rank - 2);
        Lists.requireSize("upper", upper, rank - 2);
        Lists.requireSize("elementStrides", elementStrides, rank);
    }

    /**
     * The map that a driver call describes. Whatever {@link Validation} finds no error in can be converted.
     *
     * @throws IllegalArgumentException as {@link TensorMap#of} does
     */
    public static Im2colTensorMap of(Im2colCall call) {
        Objects.requireNonNull(call, "call");
        return new Im2colTensorMap(RawValues.dataType(call.dataType()), call.dims(), call.strides(),
                RawValues.ints("lower", call.lower()),
                RawValues.ints("upper", call.upper()), RawValues.oneInt("channels", call.channels()),
                RawValues.oneInt("pixels", call.pixels()), RawValues.ints("elementStride", call.elementStrides()),
                RawValues.interleave(call.interleave()), RawValues.swizzle(call.swizzle()),
                RawValues.l2Promotion(call.l2Promotion()),
                RawValues.fill(call.fill()));
    }

    /** Starts a description whose lists are given with the outermost dimension first: N, (D,) (H,) W, C. */
    public static Im2colTensorMapBuilder outermostFirst(TensorDataType type) {
        return new Im2colTensorMapBuilder(type, DimensionOrder.OUTERMOST_FIRST);
    }

    /** Starts a description whose lists are given with the innermost dimension first: C, W, (H, (D,)) N. */
    public static Im2colTensorMapBuilder innermostFirst(TensorDataType type) {
        return new Im2colTensorMapBuilder(type, DimensionOrder.INNERMOST_FIRST);
    }

    /** Bytes of one pixel in shared memory, without a swizzle's gap. */
    @Override
    public int rowBytes() {
        return Math.multiplyExact(channels, type.bytes());
    }

    /** Pixels: each is one row. */
    @Override
    public int boxRows() {
        return pixels;
    }

    @Override
    public Im2colCall at(long address) {
        return new Im2colCall(type.cudaValue(), address, dims, strides, RawValues.longs(lower), RawValues.longs(upper),
                channels, pixels, RawValues.longs(elementStrides), interleave.cudaValue(), swizzle.cudaValue(),
                l2Promotion.cudaValue(), fill.cudaValue());
    }
}
