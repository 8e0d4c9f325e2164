package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.gpu.module.EmulatedImages;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Handles go to JCuda and come back. */
class JCudaInteropTest {

    @Property(tries = 50)
    void aPointerAndItsOffsetAreAPlaceInMemory(@ForAll @IntRange(min = 1, max = 1_000) int count,
            @ForAll @IntRange(max = 999) int first) {
        int from = first % count;
        try (Gpu gpu = Gpu.emulated(); Buffer<int[]> x = gpu.ints(count)) {
            CUdeviceptr pointer = JCudaInterop.pointer(x).withByteOffset(4L * from);
            Buffer<int[]> part = JCudaInterop.buffer(gpu, pointer, ArrayType.INTS, count - from);
            assertEquals(x.address() + 4L * from, part.address());
            x.fill((byte) 0);
            part.upload(new int[] {-7});
            assertEquals(-7, x.download()[from]);
            part.close();
            assertEquals(0, x.slice(from, 0).download().length);
            assertTrue(x.isOpen());
        }
    }

    @Test
    void theDefaultStreamIsJCudasNull() {
        try (Gpu gpu = Gpu.emulated()) {
            assertSame(gpu.defaultStream(), JCudaInterop.stream(gpu, new CUstream()));
            assertEquals(new CUstream(), JCudaInterop.stream(gpu.defaultStream()));
        }
    }

    @Test
    void aWrappedStreamIsTheSameQueue() {
        try (Gpu gpu = Gpu.emulated(); Stream stream = gpu.nonBlockingStream(); Buffer<int[]> x =
                gpu.upload(new int[] {1, 2});
                Buffer<int[]> y = gpu.ints(2); PinnedMemory host = gpu.pinned(8)) {
            Stream wrapped = JCudaInterop.stream(gpu, JCudaInterop.stream(stream));
            assertSame(wrapped, JCudaInterop.stream(gpu, JCudaInterop.stream(stream)));
            stream.copy(x, y);
            wrapped.download(y, host.segment());
            wrapped.close();
            wrapped.synchronize();
            assertArrayEquals(new int[] {1, 2}, host.segment().toArray(ValueLayout.JAVA_INT));
            assertTrue(wrapped.toString().contains(Long.toHexString(stream.handle())), wrapped::toString);
        }
    }

    @Test
    void aWrappedEventIsTheSamePoint() {
        try (Gpu gpu = Gpu.emulated(); Stream stream = gpu.stream(); Event event = gpu.event();
                Buffer<byte[]> x = gpu.bytes(1 << 20)) {
            CUevent handle = JCudaInterop.event(event);
            try (Event wrapped = JCudaInterop.event(gpu, handle)) {
                stream.fill(x, (byte) 1);
                stream.record(wrapped);
                event.synchronize();
                assertTrue(wrapped.isDone());
            }
            assertTrue(event.isDone());
            assertNotEquals(new CUevent(), handle);
        }
    }

    @Test
    void aGpuOfAContextSharesItsMemoryAndLeavesItBehind() {
        ElementwiseKernel kernel = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build();
        EmulatedCuda cuda = new EmulatedCuda();
        try (Gpu owner = Gpu.options().choose(cuda, cuda).open();
                Buffer<float[]> x = owner.upload(new float[] {1, 2, 3})) {
            CUcontext context = JCudaInterop.context(owner);
            assertNotEquals(new CUcontext(), context);
            try (Gpu guest = guest(cuda, owner.context()); Buffer<float[]> y = guest.floats(3);
                    Kernel loaded = guest.load(kernel)) {
                assertEquals(context, JCudaInterop.context(guest));
                loaded.prepare(kernel.launch(List.of(3L), Scalars.of("scalar", 2)), x, y).start();
                assertArrayEquals(new float[] {2, 4, 6}, y.download());
                assertNotEquals(new CUfunction(), JCudaInterop.function(loaded));
            }
            assertArrayEquals(new float[] {1, 2, 3}, x.download());
        }
        assertEquals(List.of(), cuda.leaks());
    }

    private static Gpu guest(EmulatedCuda cuda, long context) {
        return Gpu.ofContext(cuda, Devices.probe(cuda), context, info -> new EmulatedImages(info, cuda));
    }

    private static long current(EmulatedCuda cuda) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            assertEquals(0, cuda.cuCtxGetCurrent(out));
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Test
    void aThreadKeepsTheContextThatItHas() {
        DeviceModel model = DeviceModel.hopper(1 << 28);
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, model, model);
        List<Gpu> gpus = Gpu.options().choose(cuda, cuda).openAll();
        long mine = gpus.get(1).context();
        assertEquals(0, cuda.cuCtxSetCurrent(mine));
        try (Gpu gpu = gpus.get(0); Buffer<int[]> x = gpu.upload(new int[] {1}); Stream stream = gpu.stream();
                Gpu guest = guest(cuda, gpu.context())) {
            assertEquals(mine, current(cuda));
            stream.fill(x, (byte) 0);
            stream.synchronize();
            assertEquals(mine, current(cuda));
            assertEquals(gpu.context(), gpu.inContext(() -> current(cuda)));
            assertThrows(ArithmeticException.class, () -> guest.inContext(() -> {
                throw new ArithmeticException();
            }));
            assertEquals(mine, current(cuda));
        }
        assertEquals(mine, current(cuda));
        gpus.get(1).close();
        assertEquals(0, cuda.cuCtxSetCurrent(0));
    }

    /** A context of other code may be destroyed at any time: no thread is left with it. */
    @Test
    void aThreadWithoutAContextHasNoneAfterWorkInOneOfOtherCode() {
        EmulatedCuda cuda = new EmulatedCuda();
        try (Gpu owner = Gpu.options().choose(cuda, cuda).open(); Gpu guest = guest(cuda, owner.context())) {
            assertEquals(0, cuda.cuCtxSetCurrent(0));
            guest.ints(5).close();
            assertEquals(0, current(cuda));
            owner.ints(5).close();
            assertEquals(owner.context(), current(cuda));
            guest.ints(5).close();
            assertEquals(owner.context(), current(cuda));
        }
    }

    @Test
    void aFunctionThatOtherCodeLoadedIsLaunchedByNames() {
        TileProgram program = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build().program();
        EmulatedCuda cuda = new EmulatedCuda();
        try (Gpu gpu = Gpu.options().choose(cuda, cuda).open(); Kernel theirs = gpu.load(program)) {
            CudaFunction description = new CudaFunction("theirs", "", List.of(), program.parameters(), program.block(),
                    program.cluster(), program.shared().bytes());
            ElementwiseKernel kernel = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build();
            try (Kernel ours = JCudaInterop.kernel(gpu, JCudaInterop.function(theirs), description);
                    Buffer<float[]> x = gpu.upload(new float[] {1, 2, 3}); Buffer<float[]> y = gpu.floats(3)) {
                Launch launch = kernel.launch(List.of(3L), Scalars.of("scalar", 5));
                KernelLaunch prepared = ours.prepare().grid(launch.grid());
                for (int i = 0; i < program.parameters().size(); i++) {
                    String name = program.parameters().get(i).name();
                    switch (launch.arguments().get(i)) {
                        case Argument.Buffer b -> prepared.set(name, b.buffer() == 0 ? x : y);
                        case Argument.Int(long value) -> prepared.set(name, value);
                        case Argument.Scalar(long bits) -> prepared.setBits(name, bits);
                        case Argument.Tensor _ -> throw new AssertionError(name);
                    }
                }
                prepared.start();
                assertArrayEquals(new float[] {5, 10, 15}, y.download());
                assertEquals("theirs", ours.name());
                assertEquals(theirs.attributes(), ours.attributes());
                assertThrows(IllegalArgumentException.class, () -> ours.prepare().set("nothing", x));
            }
            // It is not unloaded.
            assertEquals(JCudaInterop.function(theirs), JCudaInterop.function(theirs));
            try (Kernel again = gpu.wrapKernel(theirs.function(), description)) {
                assertEquals(theirs.function(), again.function());
            }
            CudaFunction wide = description.withSharedBytes(1 << 20);
            assertThrows(BadRequestException.class, () -> gpu.wrapKernel(theirs.function(), wide));
            assertThrows(CudaException.class, () -> gpu.wrapKernel(77, description));
        }
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void closingLeavesOtherCodesContextCurrent() {
        EmulatedCuda cuda = new EmulatedCuda();
        try (Gpu owner = Gpu.options().choose(cuda, cuda).open()) {
            assertEquals(0, cuda.cuCtxSetCurrent(owner.context()));
            try (Gpu guest = guest(cuda, owner.context()); Buffer<int[]> x = guest.upload(new int[] {3})) {
                assertArrayEquals(new int[] {3}, x.download());
            }
            assertEquals(owner.context(), current(cuda));
        }
    }

    @Test
    void whatIsNoContextIsRefused() {
        EmulatedCuda cuda = new EmulatedCuda();
        String none = assertThrows(IllegalArgumentException.class, () -> guest(cuda, 0)).getMessage();
        assertTrue(none.contains("0 is no CUcontext"), none);
        String wrong = assertThrows(CudaException.class, () -> guest(cuda, 12_345)).getMessage();
        assertTrue(wrong.contains("INVALID_CONTEXT"), wrong);
        assertEquals(0, current(cuda));
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void whatIsClosedHasNoHandle() {
        Gpu gpu = Gpu.emulated();
        Buffer<int[]> x = gpu.ints(1);
        Stream stream = gpu.stream();
        Event event = gpu.event();
        gpu.close();
        assertThrows(IllegalStateException.class, () -> JCudaInterop.pointer(x));
        assertThrows(IllegalStateException.class, () -> JCudaInterop.stream(stream));
        assertThrows(IllegalStateException.class, () -> JCudaInterop.event(event));
        assertThrows(IllegalStateException.class, () -> JCudaInterop.context(gpu));
        assertThrows(IllegalStateException.class, () -> gpu.inContext(() -> { }));
        assertThrows(IllegalStateException.class, () -> JCudaInterop.stream(gpu, new CUstream()));
    }
}
