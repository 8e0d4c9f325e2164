package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** An emulated driver in use: its calls with results as values, for tests. The context of device 0 is current. */
final class Session implements AutoCloseable {
    final EmulatedCuda cuda;
    final Arena arena = Arena.ofShared();
    final long context;

    Session(EmulatedCuda cuda) {
        this.cuda = cuda;
        ok(cuda.cuInit(0));
        context = retain(0);
        ok(cuda.cuCtxSetCurrent(context));
    }

    Session(ExecutionOrder order, long memory) {
        this(new EmulatedCuda(order, DeviceModel.hopper(memory)));
    }

    Session() {
        this(ExecutionOrder.LAZY, 1 << 24);
    }

    static void ok(int result) {
        assertEquals(0, result);
    }

    /** A call that writes a 64-bit result. */
    interface LongCall {
        int call(MemorySegment result);
    }

    long value(LongCall call) {
        MemorySegment result = arena.allocate(JAVA_LONG);
        ok(call.call(result));
        return result.get(JAVA_LONG, 0);
    }

    /** A call that is refused. */
    int refused(LongCall call) {
        return call.call(arena.allocate(JAVA_LONG));
    }

    int number(LongCall call) {
        MemorySegment result = arena.allocate(JAVA_INT);
        ok(call.call(result));
        return result.get(JAVA_INT, 0);
    }

    long retain(int device) {
        return value(p -> cuda.cuDevicePrimaryCtxRetain(p, device));
    }

    long allocate(long bytes) {
        return value(p -> cuda.cuMemAlloc(p, bytes));
    }

    long stream() {
        return value(p -> cuda.cuStreamCreate(p, 0, 0));
    }

    long nonBlocking() {
        return value(p -> cuda.cuStreamCreate(p, 1, 0));
    }

    long event() {
        return value(p -> cuda.cuEventCreate(p, 0));
    }

    MemorySegment pinned(long bytes) {
        return MemorySegment.ofAddress(value(p -> cuda.cuMemHostAlloc(p, bytes, 0))).reinterpret(bytes);
    }

    void fill(long address, int value, long bytes, long stream) {
        ok(cuda.cuMemsetD8Async(address, (byte) value, bytes, stream));
    }

    void upload(long address, byte... bytes) {
        ok(cuda.cuMemcpyHtoDAsync(address, arena.allocateFrom(JAVA_BYTE, bytes).address(), bytes.length, 0));
    }

    /** The bytes after all earlier work of blocking streams. */
    byte[] download(long address, int bytes) {
        MemorySegment host = arena.allocate(bytes);
        ok(cuda.cuMemcpyDtoHAsync(host.address(), address, bytes, 0));
        return host.toArray(JAVA_BYTE);
    }

    /** The bytes as they are, whatever is still to be done. */
    byte[] look(long address, int bytes) {
        long stream = nonBlocking();
        MemorySegment host = arena.allocate(bytes);
        ok(cuda.cuMemcpyDtoHAsync(host.address(), address, bytes, stream));
        ok(cuda.cuStreamDestroy(stream));
        return host.toArray(JAVA_BYTE);
    }

    static byte[] bytes(int value, int count) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    long module(TileProgram program) {
        return value(p -> cuda.cuModuleLoadData(p, arena.allocateFrom(JAVA_BYTE, cuda.image(program))));
    }

    long function(TileProgram program) {
        long module = module(program);
        return value(p -> cuda.cuModuleGetFunction(p, module, arena.allocateFrom(program.name())));
    }

    LaunchConfig config(TileProgram program, int blocks, long stream) {
        return new LaunchConfig(arena).grid(blocks, 1, 1)
                .block(program.block().x(), program.block().y(), program.block().z())
                .sharedBytes(program.shared().bytes()).stream(stream);
    }

    /** Pointers to arguments. */
    MemorySegment arguments(MemorySegment... arguments) {
        MemorySegment pointers = arena.allocate(ADDRESS, Math.max(1, arguments.length));
        for (int i = 0; i < arguments.length; i++) {
            pointers.setAtIndex(ADDRESS, i, arguments[i]);
        }
        return pointers;
    }

    MemorySegment argument(long value) {
        return arena.allocateFrom(JAVA_LONG, value);
    }

    MemorySegment argument(int value) {
        return arena.allocateFrom(JAVA_INT, value);
    }

    @Override
    public void close() {
        arena.close();
    }
}
