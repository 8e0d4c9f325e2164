package dev.tilewright.gpu;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;

/**
 * Encodes tensor maps through the driver: {@code cuTensorMapEncodeTiled} and {@code cuTensorMapEncodeIm2col}. The
 * driver decides; the rules are only asked to explain its refusals, for it gives no reason. Used by one thread at a
 * time, as the driver is. Arguments go through memory that the encoder keeps, so that encoding a description allocates
 * nothing.
 */
public final class DriverTensorMapEncoder implements TensorMapEncoder {
    private static final String TILED = "cuTensorMapEncodeTiled";
    private static final String IM2COL = "cuTensorMapEncodeIm2col";
    /** More dimensions than the driver has, so that it is the driver that refuses the sixth. */
    private static final int MOST_DIMENSIONS = 8;

    private final Context context;
    private final Target device;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment map = arena.allocate(BYTES, ALIGNMENT);
    private final MemorySegment dims = arena.allocate(ValueLayout.JAVA_LONG, MOST_DIMENSIONS);
    private final MemorySegment strides = arena.allocate(ValueLayout.JAVA_LONG, MOST_DIMENSIONS);
    private final MemorySegment box = arena.allocate(ValueLayout.JAVA_INT, MOST_DIMENSIONS);
    private final MemorySegment lower = arena.allocate(ValueLayout.JAVA_INT, MOST_DIMENSIONS);
    private final MemorySegment upper = arena.allocate(ValueLayout.JAVA_INT, MOST_DIMENSIONS);
    private final MemorySegment elementStrides = arena.allocate(ValueLayout.JAVA_INT, MOST_DIMENSIONS);

    /** @param context of the GPU that the driver encodes for */
    DriverTensorMapEncoder(Context context) {
        this.context = context;
        this.device = context.info().target();
    }

    @Override
    public String name() {
        return "the driver";
    }

    @Override
    public boolean supports(Target target) {
        Objects.requireNonNull(target, "target");
        return target.runsOn(device.major(), device.minor());
    }

    /**
     * Whether the driver can be asked about a call at all: lists of the right lengths, and numbers that its parameters
     * can hold. What cannot be asked is refused by a rule.
     */
    public static boolean canAsk(EncodeCall call) {
        Objects.requireNonNull(call, "call");
        int rank = call.rank();
        return rank <= MOST_DIMENSIONS
                && call.strides().size() == Math.max(0, rank - 1)
                && call.elementStrides().size() == rank && call.elementStrides().stream().allMatch(n -> fits(n))
                && fits(call.dataType()) && fits(call.interleave()) && fits(call.swizzle())
                && fits(call.l2Promotion()) && fits(call.fill())
                && switch (call) {
                    case TiledCall tiled -> tiled.box().size() == rank && tiled.box().stream().allMatch(n -> fits(n));
                    case Im2colCall im2col -> areCorners(im2col.lower(), rank) && areCorners(im2col.upper(), rank)
                            && fits(im2col.channels()) && fits(im2col.pixels());
                    case Im2colWideCall wide -> false;
                };
    }

    /** 32 bits, read as signed or as unsigned: both are out of range where they differ. */
    private static boolean fits(long value) {
        return value == (int) value || value >>> 32 == 0;
    }

    /** Corners are signed: 2^31 is not the same as -2^31. */
    private static boolean areCorners(List<Long> corners, int rank) {
        return corners.size() == Math.max(0, rank - 2) && corners.stream().allMatch(n -> n == n.intValue());
    }

    @Override
    public void encode(EncodeCall call, Target target, MemorySegment destination) {
        NotNull.all("call, target, destination", call, target, destination);
        prepare(target, destination);
        if (!canAsk(call)) {
            if (call instanceof Im2colWideCall) {
                throw wide(call, target);
            }
            throw new TensorMapException((call instanceof TiledCall ? TILED : IM2COL)
                    + " cannot be asked for this tensor map", Validation.of(call, target));
        }
        int type = (int) call.dataType();
        int interleave = (int) call.interleave();
        int swizzle = (int) call.swizzle();
        int l2 = (int) call.l2Promotion();
        int fill = (int) call.fill();
        put(call.dims(), call.strides(), call.elementStrides());
        int result = switch (call) {
            case TiledCall c -> tiled(type, call.rank(), call.address(), c.box(), interleave, swizzle, l2, fill);
            case Im2colCall c -> im2col(type, call.rank(), call.address(), c.lower(), c.upper(), (int) c.channels(),
                    (int) c.pixels(), interleave, swizzle, l2, fill);
            case Im2colWideCall _ -> throw wide(call, target);
        };
        judge(call instanceof TiledCall ? TILED : IM2COL, result, call, target);
        MemorySegment.copy(map, 0, destination, 0, BYTES);
    }

    @Override
    public void encode(TensorMap description, long address, Target target, MemorySegment destination) {
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(destination, "destination");
        prepare(target, destination);
        int type = description.type().cudaValue();
        int rank = description.rank();
        int interleave = description.interleave().cudaValue();
        int swizzle = description.swizzle().cudaValue();
        int l2 = description.l2Promotion().cudaValue();
        int fill = description.fill().cudaValue();
        put(description.dims(), description.strides(), description.elementStrides());
        int result = switch (description) {
            case TiledTensorMap m -> tiled(type, rank, address, m.box(), interleave, swizzle, l2, fill);
            case Im2colTensorMap m -> im2col(type, rank, address, m.lower(), m.upper(), m.channels(), m.pixels(),
                    interleave, swizzle, l2, fill);
            case Im2colWideTensorMap m -> throw wide(m.at(address), target);
        };
        if (result != CudaError.SUCCESS) {
            judge(description instanceof TiledTensorMap ? TILED : IM2COL, result, description.at(address), target);
        }
        MemorySegment.copy(map, 0, destination, 0, BYTES);
    }

    private int tiled(int type, int rank, long address, List<? extends Number> boxList, int interleave, int swizzle,
            int l2, int fill) {
        ints(boxList, box);
        return context.result(api -> api.cuTensorMapEncodeTiled(map, type, rank, address, dims, strides, box,
                elementStrides, interleave, swizzle, l2, fill));
    }

    private int im2col(int type, int rank, long address, List<? extends Number> lowerList,
            List<? extends Number> upperList, int channels, int pixels, int interleave, int swizzle, int l2, int fill) {
        ints(lowerList, lower);
        ints(upperList, upper);
        return context.result(api -> api.cuTensorMapEncodeIm2col(map, type, rank, address, dims, strides, lower, upper,
                channels, pixels, elementStrides, interleave, swizzle, l2, fill));
    }

    private void prepare(Target target, MemorySegment destination) {
        if (destination.byteSize() < BYTES) {
            throw new IllegalArgumentException(
                    "a tensor map takes 128 bytes, the destination has " + destination.byteSize());
        }
        if (!supports(target)) {
            throw new MissingRequirementException("the driver encodes tensor maps for the GPU that is there, " + device
                    + ", not for " + target);
        }
    }

    private void put(List<Long> dimList, List<Long> strideList, List<? extends Number> stepList) {
        longs(dimList, dims);
        longs(strideList, strides);
        ints(stepList, elementStrides);
    }

    private static void longs(List<Long> values, MemorySegment to) {
        for (int i = 0; i < values.size(); i++) {
            to.setAtIndex(ValueLayout.JAVA_LONG, i, values.get(i));
        }
    }

    private static void ints(List<? extends Number> values, MemorySegment to) {
        for (int i = 0; i < values.size(); i++) {
            to.setAtIndex(ValueLayout.JAVA_INT, i, values.get(i).intValue());
        }
    }

    /** Explains a refusal by the rules; every other error is the context's. */
    private void judge(String function, int result, EncodeCall call, Target target) {
        if (result == CudaError.INVALID_VALUE) {
            Validation validation = Validation.of(call, target);
            throw new TensorMapException(function + " refuses this tensor map"
                    + (validation.ok() ? ", and no rule explains why (" + call + ")" : ""), validation);
        }
        context.check(function, result);
    }

    private static RuntimeException wide(EncodeCall call, Target target) {
        Validation validation = Validation.of(call, target);
        return validation.ok() ? new MissingRequirementException("wide im2col maps cannot be encoded here: "
                + "cuTensorMapEncodeIm2colWide is not bound, and their layout is not known")
                : new TensorMapException(validation);
    }

    /** {@code the CUDA driver's encoder for sm_90a}. */
    @Override
    public String toString() {
        return "the CUDA driver's encoder for " + device;
    }
}
