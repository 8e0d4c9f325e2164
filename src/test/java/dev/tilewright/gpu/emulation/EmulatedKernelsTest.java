package dev.tilewright.gpu.emulation;

import static dev.tilewright.gpu.emulation.Session.ok;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Modules, launches, tensor maps and faults of the emulated driver. */
class EmulatedKernelsTest {
    private final Session s = new Session();

    @AfterEach
    void close() {
        s.close();
    }

    /** Every thread adds to its float: 32 a block. */
    static TileProgram add(int amount) {
        Parameter.Pointer y = new Parameter.Pointer("y", true);
        return new TileProgram("add_" + amount, "y += " + amount, 32, List.of(y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Expr at = Builtin.BLOCK.times(32).plus(Builtin.THREAD).times(4);
                    Register v = b.registers("v", ValueType.F32, 1);
                    b.load(v, new Address.Global(y, at));
                    b.store(new Address.Global(y, at), v.get().plus(amount));
                }));
    }

    private long floats(float... values) {
        long address = s.allocate(4L * values.length);
        ok(s.cuda.cuMemcpyHtoDAsync(address, s.arena.allocateFrom(JAVA_FLOAT, values).address(), 4L * values.length,
                0));
        return address;
    }

    private float[] floats(long address, int count) {
        return MemorySegment.ofArray(s.download(address, 4 * count)).toArray(JAVA_FLOAT_UNALIGNED);
    }

    @Test
    void argumentsOfEveryKindReachTheKernel() {
        TileProgram axpy = ComputingKernels.axpy();
        long x = floats(new float[256]);
        float[] ones = new float[256];
        Arrays.fill(ones, 1);
        long y = floats(ones);
        ok(s.cuda.cuMemcpyDtoDAsync(x, y, 1024, 0));
        long function = s.function(axpy);
        ok(s.cuda.cuLaunchKernelEx(s.config(axpy, 2, 0).segment(), function, s.arguments(s.argument(x), s.argument(y),
                s.argument(Float.floatToRawIntBits(2.5f))), 0));
        float[] result = floats(y, 256);
        for (float value : result) {
            assertEquals(3.5f, value);
        }
    }

    @Test
    void pointersIntoAnAllocationReachTheRestOfIt() {
        TileProgram add = add(1);
        long y = floats(new float[96]);
        ok(s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), s.function(add), s.arguments(s.argument(y + 128)),
                0));
        float[] result = floats(y, 96);
        for (int i = 0; i < 96; i++) {
            assertEquals(i >= 32 && i < 64 ? 1 : 0, result[i]);
        }
    }

    @Test
    void argumentsAreReadWhenTheKernelIsLaunched() {
        TileProgram add = add(1);
        long first = floats(new float[32]);
        long second = floats(new float[32]);
        long stream = s.stream();
        MemorySegment argument = s.argument(first);
        LaunchConfig config = s.config(add, 1, stream);
        ok(s.cuda.cuLaunchKernelEx(config.segment(), s.function(add), s.arguments(argument), 0));
        argument.set(JAVA_LONG, 0, second);
        config.grid(7, 1, 1);
        assertEquals(1, floats(first, 1)[0]);
        assertEquals(0, floats(second, 1)[0]);
    }

    @Test
    void kernelsReachPinnedMemory() {
        TileProgram add = add(3);
        MemorySegment pinned = s.pinned(128).fill((byte) 0);
        ok(s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), s.function(add),
                s.arguments(s.argument(pinned.address())), 0));
        assertEquals(0, pinned.get(JAVA_FLOAT, 0));
        ok(s.cuda.cuStreamSynchronize(0));
        assertEquals(3, pinned.get(JAVA_FLOAT, 124));
    }

    /** A kernel with tensor maps, bulk copies and barriers, through the driver's own encoder. */
    @Test
    void tensorMapsAreEncodedAndUsed() {
        ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(8, 32).build();
        Launch launch = kernel.launch(List.of(20L, 64L), 0);
        float[] values = new float[20 * 64];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        List<Long> buffers = List.of(floats(values), s.allocate(4L * values.length), s.allocate(256));
        MemorySegment[] arguments = new MemorySegment[launch.arguments().size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = switch (launch.arguments().get(i)) {
                case Argument.Buffer(int buffer, long offset, long _) -> s.argument(buffers.get(buffer) + offset);
                case Argument.Int(long value) -> ((Parameter.Int) kernel.program().parameters().get(i)).type()
                        == IntType.S32 ? s.argument((int) value) : s.argument(value);
                case Argument.Scalar(long bits) -> s.argument(bits);
                case Argument.Tensor(var map, int buffer, long offset) -> encoded(map, buffers.get(buffer) + offset);
            };
        }
        ok(s.cuda.cuLaunchKernelEx(s.config(kernel.program(), launch.blocks(), 0).segment(),
                s.function(kernel.program()), s.arguments(arguments), 0));
        assertArrayEquals(values, floats(buffers.get(1), values.length));
    }

    private MemorySegment encoded(TensorMap map, long address) {
        TiledTensorMap tiled = (TiledTensorMap) map;
        MemorySegment bytes = s.arena.allocate(128, 128);
        ok(s.cuda.cuTensorMapEncodeTiled(bytes, map.type().cudaValue(), map.rank(), address,
                s.arena.allocateFrom(JAVA_LONG, map.dims().stream().mapToLong(n -> n).toArray()),
                s.arena.allocateFrom(JAVA_LONG, map.strides().stream().mapToLong(n -> n).toArray()),
                s.arena.allocateFrom(JAVA_INT, tiled.box().stream().mapToInt(n -> n).toArray()),
                s.arena.allocateFrom(JAVA_INT, map.elementStrides().stream().mapToInt(n -> n).toArray()),
                map.interleave().cudaValue(), map.swizzle().cudaValue(), map.l2Promotion().cudaValue(),
                map.fill().cudaValue()));
        return bytes;
    }

    @Test
    void aKernelThatLeavesItsBufferEndsTheGpu() {
        TileProgram add = add(1);
        long y = floats(new float[32]);
        long function = s.function(add);
        long stream = s.stream();
        ok(s.cuda.cuLaunchKernelEx(s.config(add, 2, stream).segment(), function, s.arguments(s.argument(y)), 0));
        assertEquals(700, s.cuda.cuStreamSynchronize(stream));
        assertEquals(700, s.cuda.cuMemFree(y));
        assertEquals(700, s.refused(p -> s.cuda.cuMemAlloc(p, 16)));
        String fault = s.cuda.fault(0).orElseThrow();
        assertTrue(fault.contains("kernel 'add_1', block 1, thread 0") && fault.contains("'y'"), fault);
        ok(s.cuda.cuDevicePrimaryCtxRelease(0));
        assertEquals(List.of(), s.cuda.leaks());
        // The process is lost, not the context alone.
        ok(s.cuda.cuCtxSetCurrent(s.retain(0)));
        assertEquals(700, s.refused(p -> s.cuda.cuMemAlloc(p, 16)));
    }

    @Test
    void memoryThatIsFreedBeforeAKernelRunsIsMissed() {
        TileProgram add = add(1);
        long stream = s.nonBlocking();
        long other = s.nonBlocking();
        long y = s.value(p -> s.cuda.cuMemAllocAsync(p, 128, stream));
        ok(s.cuda.cuLaunchKernelEx(s.config(add, 1, other).segment(), s.function(add), s.arguments(s.argument(y)), 0));
        assertEquals(700, s.cuda.cuStreamSynchronize(other));
        assertTrue(s.cuda.fault(0).orElseThrow().contains("before the stream that they were allocated on"),
                s.cuda.fault(0).orElseThrow());
    }

    @Test
    void aPointerToNothingIsAFaultOnlyIfItIsUsed() {
        TileProgram unused = new TileProgram("unused", "touches nothing", 32, List.of(new Parameter.Pointer("p", true)),
                new SharedLayout(List.of()), Body.steps(b -> { }));
        ok(s.cuda.cuLaunchKernelEx(s.config(unused, 1, 0).segment(), s.function(unused), s.arguments(s.argument(0L)),
                0));
        ok(s.cuda.cuCtxSynchronize());
        TileProgram add = add(1);
        ok(s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), s.function(add), s.arguments(s.argument(0L)), 0));
        assertEquals(700, s.cuda.cuCtxSynchronize());
    }

    @Test
    void aTensorMapThatIsNoneIsAFault() {
        ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(8, 32).build();
        Launch launch = kernel.launch(List.of(8L, 32L), 0);
        MemorySegment[] arguments = new MemorySegment[launch.arguments().size()];
        Arrays.setAll(arguments, i -> s.arena.allocate(128, 128).fill((byte) -1));
        ok(s.cuda.cuLaunchKernelEx(s.config(kernel.program(), 1, 0).segment(), s.function(kernel.program()),
                s.arguments(arguments), 0));
        assertEquals(715, s.cuda.cuCtxSynchronize());
        assertTrue(s.cuda.fault(0).orElseThrow().contains("is given a tensor map"), s.cuda.fault(0).orElseThrow());
    }

    @Test
    void eagerStreamsReportAtOnce() {
        try (Session eager = new Session(ExecutionOrder.EAGER, 1 << 20)) {
            TileProgram add = add(1);
            assertEquals(700, eager.cuda.cuLaunchKernelEx(eager.config(add, 1, 0).segment(), eager.function(add),
                    eager.arguments(eager.argument(0L)), 0));
        }
    }

    @Test
    void launchesThatNoGpuTakesAreRefused() {
        TileProgram add = add(1);
        long function = s.function(add);
        MemorySegment arguments = s.arguments(s.argument(0L));
        assertEquals(1, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).block(64, 1, 1).segment(), function, arguments, 0));
        assertEquals(1, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).grid(1, 70_000, 1).segment(), function, arguments,
                0));
        assertEquals(1, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).sharedBytes(50_000).segment(), function, arguments,
                0));
        assertEquals(1, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), function, MemorySegment.NULL, 0));
        assertEquals(801, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), function, arguments, 1));
        assertEquals(400, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), 77, arguments, 0));
        assertEquals(400, s.cuda.cuLaunchKernelEx(s.config(add, 1, 77).segment(), function, arguments, 0));
        assertEquals(912, s.cuda.cuLaunchKernelEx(s.config(add, 4, 0).cluster(2, 1, 1).segment(), function, arguments,
                0));
        int resident = 132 * s.number(p -> s.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(p, function, 32, 0));
        assertEquals(720, s.cuda.cuLaunchKernelEx(s.config(add, resident + 1, 0).cooperative(true).segment(), function,
                arguments, 0));
    }

    @Test
    void attributesAndOccupancy() {
        TileProgram add = add(1);
        long function = s.function(add);
        assertEquals(32, s.number(p -> s.cuda.cuFuncGetAttribute(p, 0, function)));
        assertEquals(90, s.number(p -> s.cuda.cuFuncGetAttribute(p, 6, function)));
        assertEquals(1, s.refused(p -> s.cuda.cuFuncGetAttribute(p, 16, function)));
        assertEquals(32, s.number(p -> s.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(p, function, 32, 0)));
        assertEquals(2, s.number(p -> s.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(p, function, 1000, 0)));
        assertEquals(0, s.number(p -> s.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(p, function, 32, 100 << 10)));
        assertEquals(1, s.cuda.cuFuncSetAttribute(function, 8, 228 << 10));
        ok(s.cuda.cuFuncSetAttribute(function, 8, 227 << 10));
        assertEquals(2, s.number(p -> s.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(p, function, 32, 100 << 10)));
        assertEquals(1, s.number(p -> s.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(p, function, 32, 227 << 10)));
        assertEquals(132 * 32, s.number(p -> s.cuda.cuOccupancyMaxActiveClusters(p, function,
                s.config(add, 1, 0).segment())));
        ok(s.cuda.cuFuncSetAttribute(function, 9, 50));
        assertEquals(1, s.cuda.cuFuncSetAttribute(function, 9, 101));
    }

    @Test
    void imagesThatAreNone() {
        MemorySegment cubin = s.arena.allocate(64);
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {0x7F, 'E', 'L', 'F'}), 0, cubin, 0, 4);
        assertEquals(209, s.refused(p -> s.cuda.cuModuleLoadData(p, cubin)));
        assertEquals(200, s.refused(p -> s.cuda.cuModuleLoadData(p, s.arena.allocateFrom("not an image at all"))));
        assertEquals(200, s.refused(p -> s.cuda.cuModuleLoadData(p, s.arena.allocateFrom("short"))));
        assertEquals(1, s.refused(p -> s.cuda.cuModuleLoadData(p, MemorySegment.NULL)));
        byte[] others = new EmulatedCuda().image(add(1));
        assertEquals(209, s.refused(p -> s.cuda.cuModuleLoadData(p,
                s.arena.allocateFrom(JAVA_BYTE, others))));
        long module = s.module(add(1));
        assertEquals(500, s.refused(p -> s.cuda.cuModuleGetFunction(p, module, s.arena.allocateFrom("subtract"))));
    }

    /** A GPU of an older generation takes no kernel that needs Hopper. */
    @Test
    void kernelsForAnotherGeneration() {
        DeviceModel ampere = new DeviceModel("old", 8, 0, 108, 163 << 10, 1 << 20);
        try (Session old = new Session(new EmulatedCuda(ExecutionOrder.LAZY, ampere))) {
            TileProgram bulk = BulkCopy.of(ElementType.F32).build().program();
            assertEquals(209, old.refused(p -> old.cuda.cuModuleLoadData(p, old.arena.allocateFrom(
                    JAVA_BYTE, old.cuda.image(bulk)))));
            old.module(add(1));
        }
    }

    @Test
    void aModuleIsUnloadedOnce() {
        TileProgram add = add(1);
        long module = s.module(add);
        long function = s.value(p -> s.cuda.cuModuleGetFunction(p, module, s.arena.allocateFrom("add_1")));
        assertEquals(function, s.value(p -> s.cuda.cuModuleGetFunction(p, module, s.arena.allocateFrom("add_1"))));
        ok(s.cuda.cuModuleUnload(module));
        assertEquals(400, s.cuda.cuModuleUnload(module));
        assertEquals(400, s.cuda.cuLaunchKernelEx(s.config(add, 1, 0).segment(), function,
                s.arguments(s.argument(0L)), 0));
    }

    @Test
    void mapsThatTheDriverRefuses() {
        MemorySegment bytes = s.arena.allocate(128, 128);
        MemorySegment longs = s.arena.allocateFrom(JAVA_LONG, 64, 64, 64);
        MemorySegment ints = s.arena.allocateFrom(JAVA_INT, 32, 32, 32);
        MemorySegment ones = s.arena.allocateFrom(JAVA_INT, 1, 1, 1);
        ok(s.cuda.cuTensorMapEncodeTiled(bytes, 7, 2, 4096, longs, longs, ints, ones, 0, 0, 0, 0));
        assertEquals(1, s.cuda.cuTensorMapEncodeTiled(bytes, 7, 2, 4100, longs, longs, ints, ones, 0, 0, 0, 0));
        assertEquals(1, s.cuda.cuTensorMapEncodeTiled(bytes, 7, 6, 4096, longs, longs, ints, ones, 0, 0, 0, 0));
        assertEquals(1, s.cuda.cuTensorMapEncodeTiled(bytes.asSlice(4), 7, 2, 4096, longs, longs, ints, ones, 0, 0, 0,
                0));
        assertEquals(1, s.cuda.cuTensorMapEncodeTiled(bytes, 7, 2, 4096, MemorySegment.NULL, longs, ints, ones, 0, 0, 0,
                0));
        MemorySegment corners = s.arena.allocateFrom(JAVA_INT, 0, 0);
        ok(s.cuda.cuTensorMapEncodeIm2col(bytes, 7, 3, 4096, longs, s.arena.allocateFrom(JAVA_LONG, 256, 4096), corners,
                corners, 32, 32, ones, 0, 0, 0, 0));
        assertEquals(1, s.cuda.cuTensorMapEncodeIm2col(bytes, 7, 2, 4096, longs, longs, corners, corners, 32, 32, ones,
                0, 0, 0, 0));
    }

    @Test
    void errorsHaveNames() {
        MemorySegment pointer = s.arena.allocate(ADDRESS);
        ok(s.cuda.cuGetErrorName(700, pointer));
        assertEquals("CUDA_ERROR_ILLEGAL_ADDRESS", text(pointer));
        ok(s.cuda.cuGetErrorString(2, pointer));
        assertEquals("out of memory", text(pointer));
        ok(s.cuda.cuGetErrorString(0, pointer));
        assertEquals("success", text(pointer).toLowerCase(Locale.ROOT));
        assertEquals(1, s.cuda.cuGetErrorName(12_345, pointer));
        assertEquals(MemorySegment.NULL, pointer.get(ADDRESS, 0));
    }

    private static String text(MemorySegment pointer) {
        return pointer.get(ADDRESS, 0).reinterpret(100).getString(0);
    }
}
