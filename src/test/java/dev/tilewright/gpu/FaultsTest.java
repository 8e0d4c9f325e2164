package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.DeviceMemory;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What an application is told when a GPU has too little memory, is lost, or is made to fault by a kernel. */
class FaultsTest {
    private static final int MEMORY = 1 << 20;

    private final EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, DeviceModel.hopper(MEMORY),
            DeviceModel.hopper(MEMORY));
    private final FailingDriver driver = new FailingDriver(cuda);

    private Gpu open() {
        return Gpu.options().choose(driver.api(), cuda).open();
    }

    @Test
    void outOfMemorySaysWhatWasAskedForAndWhatThereIs() {
        try (Gpu gpu = open(); Stream stream = gpu.stream()) {
            Buffer<float[]> half = gpu.floats(MEMORY / 8);
            OutOfDeviceMemoryException e = assertThrows(OutOfDeviceMemoryException.class, () -> gpu.bytes(600_000));
            assertEquals(600_000, e.asked());
            assertEquals(new DeviceMemory(MEMORY / 2, MEMORY), e.memory());
            assertEquals("cuMemAlloc of 600000 bytes failed: GPU 0 (emulated GPU (sm_90a)) has 524288 of its 1048576"
                    + " bytes free; close buffers that are no longer needed, or take smaller pieces", e.getMessage());
            assertEquals("cuMemAllocAsync", assertThrows(OutOfDeviceMemoryException.class,
                    () -> stream.allocate(ArrayType.BYTES, MEMORY)).call());
            assertFalse(e.contextIsLost());
            half.close();
            gpu.bytes(600_000).close();
        }
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void sizesThatNoMemoryHas() {
        try (Gpu gpu = open()) {
            assertThrows(IllegalArgumentException.class, () -> gpu.floats(-1));
            assertThrows(IllegalArgumentException.class, () -> gpu.doubles(Long.MAX_VALUE));
            assertThrows(IllegalArgumentException.class, () -> gpu.pinned(0));
            Buffer<int[]> four = gpu.ints(4);
            assertThrows(IllegalArgumentException.class, () -> four.upload(new int[5]));
            assertThrows(IllegalArgumentException.class, () -> four.download(new int[5]));
            assertEquals("an array of 3 elements does not hold a buffer of 4: take one of 4, or download(array, 0, 3) "
                    + "for the"
                    + " first of them", assertThrows(IllegalArgumentException.class, () -> four.download(new int[3]))
                    .getMessage());
            assertThrows(IndexOutOfBoundsException.class, () -> four.slice(2, 3));
            assertThrows(IndexOutOfBoundsException.class, () -> four.slice(-1, 1));
            assertThrows(IllegalArgumentException.class, () -> four.slice(0, 3).as(ArrayType.DOUBLES));
            assertThrows(IllegalArgumentException.class, () -> four.copyTo(gpu.ints(3)));
        }
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void aDriverThatIsTooOldForACubinSaysSo() {
        for (int refusal : new int[] {200, 209, 222}) {
            driver.failEvery("cuModuleLoadData", refusal);
            try (Gpu gpu = open()) {
                String message = assertThrows(MissingRequirementException.class,
                        () -> gpu.load(ComputingKernels.axpy())).getMessage();
                assertTrue(message.contains("cuModuleLoadData of axpy failed") && message.contains("(" + refusal + ")")
                        && message.contains("CUDA 13.0 and older") && message.contains("sm_90a")
                        && message.contains("update the NVIDIA driver"), message);
                driver.failEvery("", 0);
                gpu.load(ComputingKernels.axpy());
            }
        }
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void aBlockOfMoreThreadsThanTheKernelCanHave() {
        try (Gpu gpu = open()) {
            // What the compiler made needs so many registers that no block fits: the driver says 0 threads.
            driver.answerEvery("cuFuncGetAttribute", 0);
            String message = assertThrows(BadRequestException.class, () -> gpu.load(ComputingKernels.axpy()))
                    .getMessage();
            assertTrue(message.contains("kernel 'axpy' has blocks of 32 threads") && message.endsWith("at most 0"),
                    message);
        }
        assertEquals(List.of(), cuda.leaks());
        assertThrows(IllegalArgumentException.class, () -> CudaFunction.of("f", "", 0, List.of()));
    }

    /** Two blocks where the memory is for one. */
    private static KernelLaunch beyond(Kernel kernel, Buffer<float[]> memory) {
        return kernel.prepare().grid(2).set("x", memory).set("y", memory).set("a", 1);
    }

    @Test
    void everyLaterCallSaysWhichLaunchDidIt() {
        Gpu gpu = open();
        Stream stream = gpu.stream();
        Buffer<float[]> memory = gpu.floats(128);
        Kernel kernel = gpu.load(ComputingKernels.axpy());
        KernelLaunch launch = beyond(kernel, memory).on(stream);
        launch.start();
        String launched = "kernel 'axpy', 2 blocks of 32 threads on stream 1";
        CudaException first = assertThrows(CudaException.class, stream::synchronize);
        assertTrue(first.getMessage().startsWith("cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)")
                && first.getMessage().contains("the launch that did it: " + launched
                + ": kernel 'axpy', block 1, thread 0"), first.getMessage());
        ReferenceException reference = (ReferenceException) first.getCause();
        assertEquals(List.of(1, 0, ReferenceException.Kind.OUT_OF_BOUNDS),
                List.of(reference.block(), reference.thread(), reference.kind()));
        assertTrue(first.contextIsLost());
        assertEquals(Optional.empty(), first.earlierFault());
        List<Runnable> later = List.of(() -> gpu.floats(1), memory::download, launch::start, stream::record,
                () -> memory.upload(new float[1]), gpu::memory, gpu::stream, () -> gpu.pinned(1), gpu::synchronize,
                () -> memory.fill((byte) 0), () -> stream.allocate(ArrayType.INTS, 1), stream::isIdle, gpu::event);
        for (Runnable call : later) {
            CudaException e = assertThrows(CudaException.class, call::run);
            assertTrue(e.contextIsLost());
            assertEquals(List.of(launched), e.earlierFault().orElseThrow().launches());
            assertTrue(e.getMessage().contains(" cannot run: the context was lost before, when cuStreamSynchronize"
                    + " reported CUDA_ERROR_ILLEGAL_ADDRESS (700)") && e.getMessage().contains(launched),
                    e.getMessage());
            assertSame(reference, e.getCause());
        }
        // What is closed went with the context: nothing is thrown, and the context is let go.
        memory.close();
        kernel.close();
        gpu.close();
        assertEquals(List.of(), cuda.leaks());
        assertTrue(cuda.fault(0).orElseThrow().contains("kernel 'axpy', block 1, thread 0"));
    }

    @Test
    void aFaultIsRememberedByTheNextGpu() {
        try (Gpu gpu = open()) {
            beyond(gpu.load(ComputingKernels.axpy()), gpu.floats(128)).start();
            assertThrows(CudaException.class, gpu::synchronize);
        }
        String message = assertThrows(CudaException.class,
                () -> Gpu.options().choose(driver.api(), cuda).openAll()).getMessage();
        assertTrue(message.contains("the context was lost before") && message.contains("kernel 'axpy'"), message);
        assertEquals(List.of(), cuda.leaks());
    }

    /** An emulated GPU knows which it was, and says so in place of all that may have been. */
    @Test
    void ofSeveralLaunchesTheOneThatDidItIsNamed() {
        try (Gpu gpu = open(); Stream first = gpu.stream(); Stream second = gpu.nonBlockingStream()) {
            Kernel kernel = gpu.load(ComputingKernels.axpy());
            Buffer<float[]> small = gpu.floats(128);
            Buffer<float[]> large = gpu.floats(128 * 9);
            KernelLaunch good = kernel.prepare().grid(7).set("x", large).set("y", large).set("a", 1).on(first);
            good.start();
            good.grid(3).start();
            beyond(kernel, small).on(second).start();
            good.copy().grid(2).on(second).start();
            CudaException e = assertThrows(CudaException.class, gpu::synchronize);
            assertTrue(e.getMessage()
                    .contains("; the launch that did it: kernel 'axpy', 2 blocks of 32 threads on stream 2:"
                    + " kernel 'axpy', block 1, thread 0"), e.getMessage());
            assertFalse(e.getMessage().contains("7 blocks") || e.getMessage().contains("3 blocks"), e.getMessage());
        }
        assertEquals(List.of(), cuda.leaks());
    }

    /** A driver that says no more than an error, as CUDA's: what is known to have ended is not among the suspects. */
    @Test
    void ofSeveralLaunchesEachIsNamedButNotThoseThatEnded() {
        List<BiConsumer<Stream, Event>> waits = List.of((stream, _) -> stream.synchronize(),
                (_, event) -> event.synchronize(), (_, event) -> {
                    while (!event.isDone()) {
                        Thread.onSpinWait();
                    }
                });
        for (BiConsumer<Stream, Event> wait : waits) {
            EmulatedCuda other = new EmulatedCuda();
            try (Gpu gpu = Gpu.options().choose(new FailingDriver(other).hideLosses().api(), other).open();
                    Stream first = gpu.stream(); Stream second = gpu.nonBlockingStream(); Event event = gpu.event()) {
                Kernel kernel = gpu.load(ComputingKernels.axpy());
                Buffer<float[]> small = gpu.floats(128);
                Buffer<float[]> large = gpu.floats(128 * 9);
                KernelLaunch good = kernel.prepare().grid(7).set("x", large).set("y", large).set("a", 1).on(first);
                good.start();
                first.record(event);
                wait.accept(first, event);
                good.grid(3).start();
                beyond(kernel, small).on(second).start();
                CudaException e = assertThrows(CudaException.class, gpu::synchronize);
                assertTrue(e.getMessage()
                        .contains("; one of these launches, which were not known to have ended, did it: ")
                        && e.getMessage().contains("3 blocks of 32 threads on stream 1")
                        && e.getMessage().contains("2 blocks of 32 threads on stream 2"), e.getMessage());
                // The launch is one object, whose grid is another now: once, not twice.
                assertEquals(1, e.getMessage().split("on stream 1", -1).length - 1, e.getMessage());
                assertFalse(e.getMessage().contains("probably"), e.getMessage());
                assertNull(e.getCause());
            }
            assertEquals(List.of(), other.leaks());
        }
    }

    @Test
    void aFaultOfOneGpuLeavesTheOther() {
        List<Gpu> both = Gpu.options().choose(driver.api(), cuda).openAll();
        try (Gpu first = both.get(0); Gpu second = both.get(1)) {
            beyond(first.load(ComputingKernels.axpy()), first.floats(128)).start();
            assertThrows(CudaException.class, first::synchronize);
            assertEquals(3, second.upload(new int[] {3}).download()[0]);
        }
        assertEquals(List.of(), cuda.leaks());
    }

    /** The driver's error for a GPU that is gone is no fault of a kernel: each call says what it got. */
    @Test
    void aGpuThatFellOffTheBus() {
        Gpu gpu = open();
        Buffer<float[]> memory = gpu.floats(128);
        Stream stream = gpu.stream();
        KernelLaunch launch = gpu.load(ComputingKernels.axpy()).prepare().grid(1).set("x", memory).set("y", memory)
                .set("a", 1).on(stream);
        cuda.lose(0, 999, "fell off the bus");
        List<Runnable> calls = List.of(() -> gpu.floats(1), memory::download, launch::start, gpu::synchronize);
        for (Runnable call : calls) {
            String message = assertThrows(CudaException.class, call::run).getMessage();
            assertTrue(message.contains("failed: CUDA_ERROR_UNKNOWN (999)"), message);
        }
        assertThrows(CudaException.class, gpu::close);
        assertEquals(List.of(), cuda.leaks());
        gpu.close();
    }

    @Test
    void whatIsOfAnotherGpuIsRefused() {
        List<Gpu> both = Gpu.options().choose(driver.api(), cuda).openAll();
        try (Gpu first = both.get(0); Gpu second = both.get(1); Arena arena = Arena.ofConfined()) {
            Buffer<float[]> there = second.floats(128);
            Stream stream = first.stream();
            KernelLaunch launch = first.load(ComputingKernels.axpy()).prepare();
            List<Runnable> calls = List.of(() -> stream.upload(arena.allocate(4), there),
                    () -> stream.download(there, arena.allocate(4)), () -> stream.fill(there, (byte) 0),
                    () -> stream.copy(there, first.floats(128)), () -> launch.set("x", there),
                    () -> launch.on(second.stream()));
            for (Runnable call : calls) {
                String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
                assertTrue(message.contains("GPU 1") && message.contains("GPU 0"), message);
            }
        }
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void whatIsClosedSaysSoAndIsClosedOnce() throws Exception {
        Gpu gpu = open();
        try (Arena arena = Arena.ofShared()) {
            Buffer<byte[]> buffer = gpu.bytes(16);
            Stream stream = gpu.stream();
            Event event = stream.record();
            PinnedMemory pinned = gpu.pinned(16);
            RegisteredMemory registered = gpu.register(arena.allocate(4096, 4096));
            Kernel kernel = gpu.load(ComputingKernels.axpy());
            for (AutoCloseable resource : List.of(buffer, stream, event, pinned, registered, kernel)) {
                resource.close();
                resource.close();
            }
            List<Runnable> uses = List.of(buffer::address, buffer::download, () -> buffer.slice(0, 1), stream::record,
                    stream::synchronize, stream::isIdle, event::isDone, event::synchronize, pinned::segment,
                    registered::segment, kernel::prepare, kernel::function);
            for (Runnable use : uses) {
                String message = assertThrows(IllegalStateException.class, use::run).getMessage();
                assertTrue(message.endsWith(" is closed"), message);
            }
            Buffer<byte[]> left = gpu.bytes(16);
            gpu.close();
            gpu.close();
            for (Runnable use : List.<Runnable>of(left::download, () -> gpu.bytes(1), gpu::stream, gpu::memory,
                    gpu::synchronize, gpu::context, () -> gpu.load(ComputingKernels.axpy()))) {
                assertTrue(assertThrows(IllegalStateException.class, use::run).getMessage().endsWith(" is closed"));
            }
        }
        assertEquals(List.of(), cuda.leaks());
    }

    @Test
    void cudaSourceNeedsARealGpu() {
        CudaFunction function = CudaFunction.of("fill", "extern \"C\" __global__ void fill(float *p) { }", 32,
                List.of(new Parameter.Pointer("p", true)));
        try (Gpu gpu = open()) {
            assertTrue(assertThrows(MissingRequirementException.class, () -> gpu.load(function)).getMessage()
                    .contains("needs a GPU"));
        }
        assertThrows(IllegalArgumentException.class, () -> function.withSharedBytes(-1));
        assertThrows(IllegalArgumentException.class, () -> CudaFunction.of("f", "", 32, List.of(
                new Parameter.Pointer("p", true), new Parameter.Scalar("p", ElementType.F32))));
    }
}
