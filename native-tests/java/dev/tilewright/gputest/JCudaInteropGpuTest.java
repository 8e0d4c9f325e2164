package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.examples.JCudaProgram;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that uses JCuda itself can mix its own calls with Tilewright's. */
@Tag("gpu")
class JCudaInteropGpuTest {
    private static final ElementwiseKernel DOUBLE = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build();

    @BeforeEach
    void needsAGpu() {
        TestGpu.atLeast(Target.SM_80);
    }

    private static float[] numbers(int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i * 0.5f - 700;
        }
        return numbers;
    }

    /** A context of the application's own, current as {@code cuCtxCreate} leaves it. */
    private static CUcontext create() {
        CUdevice device = new CUdevice();
        CUcontext context = new CUcontext();
        assertEquals(0, JCudaDriver.cuInit(0));
        assertEquals(0, JCudaDriver.cuDeviceGet(device, 0));
        assertEquals(0, JCudaDriver.cuCtxCreate(context, 0, device));
        return context;
    }

    private static CUcontext current() {
        CUcontext current = new CUcontext();
        assertEquals(0, JCudaDriver.cuCtxGetCurrent(current));
        return current;
    }

    /** On a thread that has had nothing to do with CUDA. */
    private static void onAThreadOfItsOwn(Runnable work) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        done.get(60, TimeUnit.SECONDS);
    }

    @Test
    void aBufferIsFilledAndReadByJCudaAndCopiedByAKernel() {
        Gpu gpu = TestGpu.atLeast(Target.SM_90);
        float[] numbers = numbers(10_007);
        long bytes = 4L * numbers.length;
        BulkCopy copy = BulkCopy.of(ElementType.F32).build();
        try (Buffer<byte[]> from = gpu.bytes(bytes); Buffer<byte[]> to = gpu.bytes(bytes); Stream stream = gpu.stream();
                Kernel kernel = gpu.load(copy.program())) {
            assertEquals(0, JCudaDriver.cuMemcpyHtoDAsync(JCudaInterop.pointer(from), Pointer.to(numbers), bytes,
                    JCudaInterop.stream(stream)));
            kernel.prepare(copy.launch(List.of((long) numbers.length), 0), from, to).on(stream).start();
            assertEquals(0, JCudaDriver.cuStreamSynchronize(JCudaInterop.stream(stream)));
            float[] result = new float[numbers.length];
            assertEquals(0, JCudaDriver.cuMemcpyDtoH(Pointer.to(result), JCudaInterop.pointer(to), bytes));
            assertArrayEquals(numbers, result);
        }
    }

    @Test
    void theContextIsTheDevicesPrimaryOne() {
        Gpu gpu = TestGpu.atLeast(Target.SM_80);
        gpu.synchronize();
        CUdevice device = new CUdevice();
        CUcontext primary = new CUcontext();
        assertEquals(0, JCudaDriver.cuDeviceGet(device, 0));
        assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRetain(primary, device));
        assertEquals(primary, JCudaInterop.context(gpu));
        assertEquals(0, JCudaDriver.cuDevicePrimaryCtxRelease(device));
    }

    @Test
    void aKernelIsDroppedIntoAJCudaProgram() throws Exception {
        float[] numbers = numbers(100_003);
        float[] expected = new float[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            float square = numbers[i] * numbers[i];
            float rectified = Math.max(0.5f * square + -2, 0);
            expected[i] = rectified * rectified;
        }
        onAThreadOfItsOwn(() -> assertArrayEquals(expected, JCudaProgram.run(numbers)));
    }

    /** A function that Tilewright has loaded, launched by {@code cuLaunchKernel}. */
    @Test
    void jcudaLaunchesAKernel() throws Exception {
        onAThreadOfItsOwn(() -> {
            float[] numbers = numbers(1_000);
            CudaFunction negate = CudaFunction.of("negate",
                    "extern \"C\" __global__ void negate(float *x) { x[threadIdx.x] = -x[threadIdx.x]; }", 1_000,
                    List.of(new Parameter.Pointer("x", true)));
            try (Gpu gpu = Gpu.open(); Buffer<float[]> x = gpu.upload(numbers); Kernel kernel = gpu.load(negate);
                    Stream stream = gpu.stream()) {
                gpu.inContext(
                        () -> assertEquals(0, JCudaDriver.cuLaunchKernel(JCudaInterop.function(kernel), 1, 1, 1, 1_000,
                        1, 1, 0, JCudaInterop.stream(stream), Pointer.to(Pointer.to(JCudaInterop.pointer(x))), null)));
                stream.synchronize();
                float[] result = x.download();
                for (int i = 0; i < numbers.length; i++) {
                    assertEquals(-numbers[i], result[i]);
                }
                // And the other way round.
                try (Kernel wrapped = JCudaInterop.kernel(gpu, JCudaInterop.function(kernel), negate)) {
                    wrapped.prepare().grid(1).set("x", x).on(stream).start();
                    assertArrayEquals(numbers, x.download());
                }
            }
        });
    }

    /** JCuda's event in Tilewright's stream, and the other way round. */
    @Test
    void eventsOrderWorkOfBoth() throws Exception {
        onAThreadOfItsOwn(() -> {
            float[] numbers = numbers(1 << 20);
            try (Gpu gpu = Gpu.open(); Stream ours = gpu.nonBlockingStream(); Buffer<float[]> x = gpu.upload(numbers);
                    Buffer<float[]> y = gpu.floats(numbers.length); Event copied = gpu.event();
                    PinnedMemory result = gpu.pinned(4L * numbers.length)) {
                gpu.inContext(() -> {
                    CUstream theirs = new CUstream();
                    CUevent filled = new CUevent();
                    assertEquals(0, JCudaDriver.cuStreamCreate(theirs, 1));
                    assertEquals(0, JCudaDriver.cuEventCreate(filled, 2));
                    assertEquals(0, JCudaDriver.cuMemsetD32Async(JCudaInterop.pointer(x), 7, 1 << 19, theirs));
                    assertEquals(0, JCudaDriver.cuEventRecord(filled, theirs));
                    ours.waitFor(JCudaInterop.event(gpu, filled));
                    ours.copy(x, y);
                    ours.record(copied);
                    assertEquals(0, JCudaDriver.cuStreamWaitEvent(theirs, JCudaInterop.event(copied), 0));
                    Stream wrapped = JCudaInterop.stream(gpu, theirs);
                    wrapped.download(y, result.segment());
                    wrapped.synchronize();
                    for (int i = 0; i < numbers.length; i++) {
                        int bits = i < 1 << 19 ? 7 : Float.floatToRawIntBits(numbers[i]);
                        assertEquals(bits, result.segment().getAtIndex(ValueLayout.JAVA_INT, i));
                    }
                    assertEquals(0, JCudaDriver.cuEventDestroy(filled));
                    assertEquals(0, JCudaDriver.cuStreamDestroy(theirs));
                });
            }
        });
    }

    @Test
    void aThreadKeepsTheContextThatItHas() throws Exception {
        onAThreadOfItsOwn(() -> {
            CUcontext mine = create();
            float[] numbers = numbers(5_000);
            try (Gpu gpu = Gpu.open(); Kernel kernel = gpu.load(DOUBLE)) {
                assertEquals(mine, current());
                Buffer<float[]> x = gpu.upload(numbers);
                Buffer<float[]> y = gpu.floats(5_000);
                assertEquals(mine, current());
                Stream stream = gpu.stream();
                Event event = gpu.timedEvent();
                assertEquals(mine, current());
                KernelLaunch launch = kernel.prepare(DOUBLE.launch(List.of(5_000L), Scalars.of("scalar", 2)), x, y)
                        .on(stream);
                launch.start();
                stream.record(event);
                assertEquals(mine, current());
                event.synchronize();
                for (int i = 0; i < 5_000; i++) {
                    numbers[i] *= 2;
                }
                assertArrayEquals(numbers, y.download());
                gpu.synchronize();
                gpu.memory();
                assertEquals(mine, current());
                gpu.inContext(() -> assertEquals(JCudaInterop.context(gpu), current()));
                assertThrows(IllegalStateException.class, () -> gpu.inContext(() -> {
                    throw new IllegalStateException("the work's own");
                }));
                assertEquals(mine, current());
                x.close();
                event.close();
                stream.close();
                assertEquals(mine, current());
            }
            assertEquals(mine, current());
            assertEquals(0, JCudaDriver.cuCtxDestroy(mine));
        });
    }

    /** A context of JCuda's: a thread that had none has none afterwards, so that it survives the context's end. */
    @Test
    void aContextOfJCudasIsLeftBehind() throws Exception {
        CUcontext[] made = new CUcontext[1];
        onAThreadOfItsOwn(() -> {
            made[0] = create();
            CUcontext popped = new CUcontext();
            assertEquals(0, JCudaDriver.cuCtxPopCurrent(popped));
            assertEquals(made[0], popped);
        });
        onAThreadOfItsOwn(() -> {
            float[] numbers = numbers(777);
            try (Gpu gpu = JCudaInterop.gpu(made[0]); Buffer<float[]> x = gpu.upload(numbers);
                    Buffer<float[]> y = gpu.upload(new float[777]); Kernel kernel = gpu.load(DOUBLE)) {
                assertEquals(made[0], JCudaInterop.context(gpu));
                kernel.prepare(DOUBLE.launch(List.of(777L), Scalars.of("scalar", 1)), x, y).start();
                assertArrayEquals(numbers, y.download());
                assertEquals(new CUcontext(), current());
                try (Gpu primary = Gpu.open(); Buffer<float[]> other = primary.floats(777)) {
                    // Other contexts of one device are other address spaces.
                    String message = assertThrows(IllegalArgumentException.class,
                            () -> kernel.prepare(DOUBLE.launch(List.of(777L), Scalars.of("scalar", 1)), x, other))
                            .getMessage();
                    assertTrue(message.contains("context"), message);
                    x.copyTo(other);
                    assertArrayEquals(numbers, other.download());
                }
            }
            // The context is JCuda's still, and works.
            assertEquals(0, JCudaDriver.cuCtxSetCurrent(made[0]));
            CUdeviceptr pointer = new CUdeviceptr();
            assertEquals(0, JCudaDriver.cuMemAlloc(pointer, 64));
            try (Gpu gpu = JCudaInterop.gpu(made[0])) {
                Buffer<int[]> wrapped = JCudaInterop.buffer(gpu, pointer.withByteOffset(32), ArrayType.INTS, 8);
                wrapped.upload(new int[] {1, 2, 3, 4, 5, 6, 7, 8});
                wrapped.close();
                int[] half = new int[8];
                assertEquals(0, JCudaDriver.cuMemcpyDtoH(Pointer.to(half), pointer.withByteOffset(32), 32));
                assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, half);
            }
            assertEquals(0, JCudaDriver.cuMemFree(pointer));
            assertEquals(0, JCudaDriver.cuCtxDestroy(made[0]));
        });
    }

    @Test
    void whatWasNeverCreatedIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> JCudaInterop.gpu(new CUcontext()));
    }
}
