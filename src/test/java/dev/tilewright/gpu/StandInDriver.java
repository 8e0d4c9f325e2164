package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The driver's encode functions as C code would see them: reads the arguments out of native memory, as unsigned and
 * signed 32-bit and 64-bit numbers, and answers as the encoder in Java does. Remembers the last call.
 */
final class StandInDriver extends EmulatedCuda {
    private static final int INVALID_VALUE = 1;

    EncodeCall last;
    int calls;
    /** What to answer instead, where that is not 0. */
    int answer;

    /** Of two GPUs: one of sm_90a, and a later one. */
    StandInDriver() {
        super(ExecutionOrder.LAZY, DeviceModel.hopper(1 << 20), new DeviceModel("later", 10, 0, 1, 0, 1 << 20));
    }

    /** The encoder of a GPU. @param ordinal its number */
    DriverTensorMapEncoder encoder(int ordinal) {
        return new DriverTensorMapEncoder(Context.retain(this, Devices.probe(this).require(ordinal)));
    }

    @Override
    public int cuTensorMapEncodeTiled(MemorySegment map, int dataType, int rank, long address, MemorySegment dims,
            MemorySegment strides, MemorySegment box, MemorySegment elementStrides, int interleave, int swizzle,
            int l2Promotion, int fill) {
        return answer(map, new TiledCall(dataType, address, longs(dims, rank), longs(strides, rank - 1),
                unsigned(box, rank), unsigned(elementStrides, rank), interleave, swizzle, l2Promotion, fill));
    }

    @Override
    public int cuTensorMapEncodeIm2col(MemorySegment map, int dataType, int rank, long address, MemorySegment dims,
            MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels, int pixels,
            MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int fill) {
        return answer(map, new Im2colCall(dataType, address, longs(dims, rank), longs(strides, rank - 1),
                signed(lower, rank - 2), signed(upper, rank - 2), Integer.toUnsignedLong(channels),
                Integer.toUnsignedLong(pixels), unsigned(elementStrides, rank), interleave, swizzle, l2Promotion,
                fill));
    }

    private int answer(MemorySegment map, EncodeCall call) {
        last = call;
        calls++;
        if (map.address() % 64 != 0 || answer != 0) {
            return answer != 0 ? answer : INVALID_VALUE;
        }
        try {
            TensorMapDescriptor encoded = TensorMapEncoder.java().encode(call, Target.SM_90);
            encoded.copyTo(map);
            return 0;
        } catch (TensorMapException e) {
            map.fill((byte) 0xEE);
            return INVALID_VALUE;
        }
    }

    private static List<Long> longs(MemorySegment from, int count) {
        List<Long> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(from.getAtIndex(ValueLayout.JAVA_LONG, i));
        }
        return list;
    }

    private static List<Long> unsigned(MemorySegment from, int count) {
        return signed(from, count).stream().map(n -> n & 0xFFFF_FFFFL).toList();
    }

    private static List<Long> signed(MemorySegment from, int count) {
        List<Long> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add((long) from.getAtIndex(ValueLayout.JAVA_INT, i));
        }
        return list;
    }
}
