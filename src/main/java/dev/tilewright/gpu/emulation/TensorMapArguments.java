package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The arguments of {@code cuTensorMapEncode...}, read from native memory and encoded in Java. */
final class TensorMapArguments {
    private static final int MOST_DIMENSIONS = 5;
    private static final int LEAST_OF_IM2COL = 3;
    /** Of the 128 bytes: cuda.h, since CUDA 13 128, before 64, which every driver takes. */
    private static final int ALIGNMENT = 64;

    private TensorMapArguments() { }

    /** Reads a call's arguments. */
    interface Call {
        EncodeCall read();
    }

    static EncodeCall tiled(int dataType, int rank, long address, MemorySegment dims, MemorySegment strides,
            MemorySegment box, MemorySegment elementStrides, int interleave, int swizzle, int l2, int fill) {
        Refusal.unless(rank >= 1 && rank <= MOST_DIMENSIONS, DriverApi.INVALID_VALUE);
        return new TiledCall(dataType, address, longs(dims, rank), longs(strides, rank - 1), unsigned(box, rank),
                unsigned(elementStrides, rank), interleave, swizzle, l2, fill);
    }

    static EncodeCall im2col(int dataType, int rank, long address, MemorySegment dims, MemorySegment strides,
            MemorySegment lower, MemorySegment upper, int channels, int pixels, MemorySegment elementStrides,
            int interleave, int swizzle, int l2, int fill) {
        Refusal.unless(rank >= LEAST_OF_IM2COL && rank <= MOST_DIMENSIONS, DriverApi.INVALID_VALUE);
        return new Im2colCall(dataType, address, longs(dims, rank), longs(strides, rank - 1), signed(lower, rank - 2),
                signed(upper, rank - 2), Integer.toUnsignedLong(channels), Integer.toUnsignedLong(pixels),
                unsigned(elementStrides, rank), interleave, swizzle, l2, fill);
    }

    /** @throws MissingRequirementException if how the target lays out a map is not known */
    static void encode(Call call, Target target, MemorySegment map) {
        Refusal.unless(map.address() != 0 && map.address() % ALIGNMENT == 0, DriverApi.INVALID_VALUE);
        try {
            MemorySegment bytes = MemorySegment.ofArray(new byte[TensorMapEncoder.BYTES]);
            TensorMapEncoder.java().encode(call.read(), target, bytes);
            map.reinterpret(TensorMapEncoder.BYTES).copyFrom(bytes);
        } catch (TensorMapException e) {
            throw new Refusal(DriverApi.INVALID_VALUE);
        } catch (IllegalArgumentException e) {
            // What the driver knows and no description can say yet, such as the packed 4-bit types.
            throw new Refusal(DriverApi.NOT_SUPPORTED);
        }
    }

    private static MemorySegment elements(MemorySegment from, long bytes) {
        Refusal.unless(bytes == 0 || from.address() != 0, DriverApi.INVALID_VALUE);
        return from.reinterpret(bytes);
    }

    private static List<Long> longs(MemorySegment from, int count) {
        MemorySegment values = elements(from, count * JAVA_LONG.byteSize());
        return LongStream.range(0, count).map(i -> values.getAtIndex(JAVA_LONG, i)).boxed().toList();
    }

    private static List<Long> unsigned(MemorySegment from, int count) {
        return signed(from, count).stream().map(value -> value & 0xFFFF_FFFFL).toList();
    }

    private static List<Long> signed(MemorySegment from, int count) {
        MemorySegment values = elements(from, count * JAVA_INT.byteSize());
        return IntStream.range(0, count).mapToObj(i -> (long) values.getAtIndex(JAVA_INT, i)).toList();
    }
}
