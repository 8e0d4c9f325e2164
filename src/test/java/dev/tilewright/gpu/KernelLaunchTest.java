package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.module.KernelImages;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Shape;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a launch checks of its arguments before anything is started, on an emulated GPU. */
class KernelLaunchTest {
    private static final ElementwiseKernel SCALE = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build();
    private static final String NAME = SCALE.program().name();
    private static final String SCALAR = SCALE.scalars().getFirst().name();

    private final Gpu gpu = Gpu.emulated();
    private final Kernel kernel = gpu.load(SCALE);

    @AfterEach
    void close() {
        gpu.close();
    }

    private static String message(Class<? extends RuntimeException> type, Executable call) {
        return assertThrows(type, call).getMessage();
    }

    private static String refusal(Executable call) {
        return message(IllegalArgumentException.class, call);
    }

    @Test
    void aKernelOfAShapeTakesTheShape() {
        Buffer<float[]> from = gpu.upload(new float[] {1, 2, 3, 4, 5});
        Buffer<float[]> to = gpu.floats(5);
        kernel.prepare(List.of(5L), Scalars.of(SCALAR, 2), from, to).start();
        assertArrayEquals(new float[] {2, 4, 6, 8, 10}, to.download());
        KernelLaunch byShape = kernel.prepare(Shape.of(5), from, to);
        assertEquals("kernel '" + NAME + "' has no value yet for '" + SCALAR + "': set every argument before it starts",
                message(IllegalStateException.class, byShape::start));
        byShape.set(SCALAR, -1).start();
        assertArrayEquals(new float[] {-1, -2, -3, -4, -5}, to.download());
        assertEquals("kernel '" + NAME + "' takes 2 buffers: source, result; got 1",
                refusal(() -> kernel.prepare(List.of(5L), Scalars.of(SCALAR, 2), from)));
        assertEquals("kernel '" + NAME + "': array 'source' has elements of type f32, got a buffer of double: give one "
                + "of float, or take it as that, with buffer.as(ArrayType.FLOATS)",
                refusal(() -> kernel.prepare(List.of(1L), Scalars.of(SCALAR, 2), gpu.doubles(1), to)));
        assertEquals("kernel '" + NAME + "' was not loaded from a Launchable, whose launches follow from a "
                + "shape: fill in prepare()", message(IllegalStateException.class,
                        () -> gpu.load(SCALE.program()).prepare(List.of(5L), Scalars.of(SCALAR, 2), from, to)));
    }

    @Test
    void aBufferThatIsTooSmallIsRefused() {
        Buffer<float[]> four = gpu.floats(4);
        Buffer<float[]> five = gpu.floats(5);
        String text = "kernel '" + NAME + "': parameter 'result' points to 20 bytes from byte 0 of buffer 1 on, which "
                + "has 16"
                + " bytes: give a larger one";
        assertEquals(text, refusal(() -> kernel.prepare(List.of(5L), Scalars.of(SCALAR, 2), five, four)));
        assertEquals(text, refusal(
                () -> kernel.prepare(SCALE.launch(List.of(5L), Scalars.of(SCALAR, 2)), five, four)));
        assertEquals("kernel '" + NAME + "': parameter 'result' is buffer 1 of the launch, got 1 buffer: give 2 or "
                + "more", refusal(() -> kernel.prepare(SCALE.launch(List.of(5L), Scalars.of(SCALAR, 2)), five)));
    }

    @Test
    void elementsAreThoseOfTheKernel() {
        for (ElementType type : ElementType.values()) {
            Kernel copy = gpu.load(VectorCopy.of(type).build());
            ArrayType<?> own = switch (type) {
                case U8, I8 -> ArrayType.BYTES;
                case U16, I16, F16, BF16 -> ArrayType.SHORTS;
                case U32, I32 -> ArrayType.INTS;
                case U64, I64 -> ArrayType.LONGS;
                case F32 -> ArrayType.FLOATS;
                case F64 -> ArrayType.DOUBLES;
            };
            for (ArrayType<?> array : List.of(ArrayType.BYTES, ArrayType.SHORTS, ArrayType.INTS, ArrayType.LONGS,
                    ArrayType.FLOATS, ArrayType.DOUBLES)) {
                Buffer<?> right = gpu.allocate(own, 8);
                Buffer<?> other = gpu.bytes(64).as(array);
                if (array == own || array == ArrayType.BYTES) {
                    copy.prepare(Shape.of(8), other, right);
                    copy.prepare(Shape.of(8), right, other);
                } else {
                    String text = " has elements of type " + type + ", got a buffer of " + array + ": ";
                    assertTrue(refusal(() -> copy.prepare(Shape.of(8), other, right)).contains("array 'source'" + text),
                            text);
                    assertTrue(refusal(() -> copy.prepare(Shape.of(8), right, other)).contains("array 'result'" + text),
                            text);
                }
            }
        }
        Buffer<int[]> whole = gpu.ints(4);
        assertEquals("kernel '" + NAME + "': array 'result' has elements of type f32, got a buffer of int: give one of "
                + "float, or"
                + " take it as that, with buffer.as(ArrayType.FLOATS)",
                refusal(() -> kernel.prepare(SCALE.launch(Shape.of(4), Scalars.of(SCALAR, 2)), gpu.floats(4), whole)));
        kernel.prepare(Shape.of(4), Scalars.of(SCALAR, 2), whole.as(ArrayType.FLOATS), gpu.floats(4)).start();
    }

    @Test
    void aBufferTooManyIsRefused() {
        Buffer<float[]> x = gpu.floats(4);
        Buffer<float[]> y = gpu.floats(4);
        Buffer<float[]> z = gpu.floats(4);
        assertEquals("kernel '" + NAME + "' takes 2 buffers: source, result; got 3",
                refusal(() -> kernel.prepare(Shape.of(4), x, y, z)));
        assertEquals("kernel '" + NAME + "' takes 2 buffers, got 3: leave out the ones that it does not use",
                refusal(() -> kernel.prepare(SCALE.launch(Shape.of(4), Scalars.of(SCALAR, 2)), x, y, z)));
        assertEquals("kernel '" + NAME + "' takes 2 buffers: source, result; got 4",
                refusal(() -> kernel.prepare(Shape.of(4), x, y, gpu.bytes(0), gpu.bytes(0))));
        // The workspace of a kernel that needs none, here or for this shape.
        kernel.prepare(Shape.of(0), Scalars.of(SCALAR, 2), x, y, z).start();
        kernel.prepare(Shape.of(4), x, y, gpu.bytes(0));
        kernel.prepare(SCALE.launch(Shape.of(4), Scalars.of(SCALAR, 2)), x, y, gpu.bytes(0));
    }

    @Test
    void argumentsAreSetByName() {
        Buffer<float[]> from = gpu.upload(new float[] {1, 2, 3, 4});
        Buffer<float[]> to = gpu.floats(4);
        KernelLaunch launch = kernel.prepare(List.of(4L), Scalars.of(SCALAR, 2), from, to);
        launch.set(SCALAR, 3).start();
        assertArrayEquals(new float[] {3, 6, 9, 12}, to.download());
        launch.set(SCALAR, 0.5f).start();
        assertArrayEquals(new float[] {0.5f, 1, 1.5f, 2}, to.download());
        KernelLaunch copy = launch.copy().set(SCALAR, 10.0);
        launch.start();
        assertArrayEquals(new float[] {0.5f, 1, 1.5f, 2}, to.download());
        copy.start();
        assertArrayEquals(new float[] {10, 20, 30, 40}, to.download());
        launch.setBits(SCALAR, Float.floatToRawIntBits(-1)).grid(0).start();
        assertArrayEquals(new float[] {10, 20, 30, 40}, to.download());
        assertSame(kernel, copy.kernel());
    }

    @Test
    void whatDoesNotFitItsParameterIsRefused() {
        KernelLaunch launch = kernel.prepare();
        Buffer<float[]> buffer = gpu.floats(1);
        String names = String.join(", ", kernel.parameters().stream().map(Parameter::name).toList());
        assertEquals("kernel '" + NAME + "' has no parameter 'x': it has " + names, refusal(() -> launch.set("x", 1)));
        assertEquals("kernel '" + NAME + "': parameter 'bytes' is an integer of 64 bits, got the floating-point number "
                + "5.0:"
                + " give it an int or a long", refusal(() -> launch.set("bytes", 5.0)));
        assertEquals("kernel '" + NAME + "': parameter 'bytes' is an integer of 64 bits, got memory: give it an int or "
                + "a long", refusal(() -> launch.set("bytes", buffer)));
        assertEquals("kernel '" + NAME + "': parameter 'result' is a pointer, got the integer 7: give it a buffer",
                refusal(() -> launch.set("result", 7)));
        assertEquals("kernel '" + NAME + "': parameter '" + SCALAR + "' is a number of type f32, got memory: give it a "
                + "number", refusal(() -> launch.set(SCALAR, buffer)));
        assertEquals("kernel '" + NAME + "': scalar '" + SCALAR
                + "' got 1.0E300, which is beyond the largest f32: give infinity if that is meant",
                refusal(() -> launch.set(SCALAR, 1e300)));
        assertEquals("kernel '" + NAME + "': parameter 'result' is a pointer, got a scalar's bits: give it a buffer",
                refusal(() -> launch.setBits("result", 7)));
        assertEquals("kernel '" + NAME + "': parameter 'result' is a pointer, got a tensor map: give it a buffer",
                refusal(() -> launch.set("result", map(4, 4), buffer)));
        ElementwiseKernel add = VectorCopy.of(ElementType.I32).step(ElementStep.ADD).build();
        KernelLaunch whole = gpu.load(add).prepare();
        String scalar = add.scalars().getFirst().name();
        String title = "kernel '" + add.program().name() + "': ";
        assertEquals(title + "parameter '" + scalar + "' is a number of type i32, got the floating-point number 2.0: "
                + "give it an"
                + " int or a long", refusal(() -> whole.set(scalar, 2.0)));
        assertEquals(title + "scalar '" + scalar + "' of type i32 takes numbers in [-2147483648, 2147483647], got "
                + "2147483648:"
                + " for raw bits there is setBits", refusal(() -> whole.set(scalar, 1L << 31)));
    }

    @Test
    void whatIsMissingOrClosedIsSaidBeforeTheStart() {
        Buffer<float[]> from = gpu.floats(4);
        Buffer<float[]> to = gpu.floats(4);
        KernelLaunch launch = kernel.prepare().set("result", to);
        assertEquals("kernel '" + NAME + "' has no value yet for 'source', 'bytes', 'tiles', 'tiles_per_block', '"
                + SCALAR
                + "': set every argument before it starts", message(IllegalStateException.class, launch::start));
        launch.set("source", from).set("bytes", 16).set("tiles", 1).set("tiles_per_block", 1).set(SCALAR, 1);
        assertEquals("the launch of kernel '" + NAME + "' has no grid yet: say how many blocks, with grid(...)",
                message(IllegalStateException.class, launch::start));
        launch.grid(1).start();
        from.close();
        assertEquals("the buffer of 16 bytes is closed", message(IllegalStateException.class, launch::start));
        launch.set("source", to);
        Stream stream = gpu.stream();
        launch.on(stream).start();
        stream.close();
        assertEquals("stream 1 is closed", message(IllegalStateException.class, launch::start));
        launch.on(gpu.defaultStream()).start();
        kernel.close();
        assertEquals("kernel '" + NAME + "' is closed", message(IllegalStateException.class, launch::start));
        for (Executable question : List.<Executable>of(kernel::prepare, kernel::attributes,
                kernel::blocksPerMultiprocessor, kernel::residentBlocks, kernel::residentClusters, kernel::function)) {
            assertEquals("kernel '" + NAME + "' is closed", message(IllegalStateException.class, question));
        }
    }

    @Test
    void whatAPointerNeedsIsHeldAgainstItsBuffer() {
        KernelLaunch launch = kernel.prepare().requires("source", 20).set("source", gpu.floats(5));
        String text = "kernel '" + NAME + "': parameter 'source' needs 20 bytes of memory, got a buffer of 16 bytes";
        assertEquals(text, refusal(() -> launch.set("source", gpu.floats(4))));
        assertEquals(text, refusal(() -> launch.copy().set("source", gpu.floats(4))));
        launch.set("result", gpu.floats(4));
        assertEquals(text.replace("source", "result"), refusal(() -> launch.requires("result", 20)));
        launch.requires("result", 16).requires("source", 0).set("source", gpu.floats(0));
        assertEquals("kernel '" + NAME + "': parameter 'source' needs at least 0 bytes, got -1",
                refusal(() -> launch.requires("source", -1)));
        assertEquals("kernel '" + NAME + "': parameter 'bytes' is an integer of 64 bits, got the bytes that its memory "
                + "must"
                + " have: give it an int or a long", refusal(() -> launch.requires("bytes", 1)));
    }

    private static TensorMap map(long columns, long rows) {
        return TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(columns, rows), List.of(4, 4),
                Swizzle.NONE);
    }

    @Test
    void aTensorThatItsBufferDoesNotHoldIsRefusedUnlessThatIsMeant() {
        ElementwiseKernel copy = TensorCopy.of(ElementType.F32).tile(4, 4).build();
        KernelLaunch launch = gpu.load(copy).prepare();
        Buffer<float[]> buffer = gpu.floats(8 * 8);
        launch.set("source_map", map(8, 8), buffer);
        assertEquals("kernel '" + copy.program().name() + "': tensor map 'source_map' describes a tensor of 288 bytes "
                + "at byte 0"
                + " of its buffer, which has 256 bytes: give a larger buffer, or call allowLargerTensors() first if no "
                + "box of the kernel reaches beyond the buffer",
                refusal(() -> launch.set("source_map", map(8, 9), buffer)));
        assertThrows(IllegalStateException.class, launch::start);
        refusal(() -> launch.set("source_map", map(8, 8), buffer, 16));
        refusal(() -> launch.set("source_map", map(8, 4), buffer, -16));
        launch.set("source_map", map(8, 4), buffer, 128);
        launch.allowLargerTensors().set("source_map", map(8, 1 << 20), buffer, 16);
        launch.copy().set("source_map", map(8, 1 << 20), buffer, -16);
        Buffer<float[]> small = gpu.floats(8);
        assertTrue(refusal(() -> gpu.load(copy).prepare(List.of(8L, 8L), Scalars.NONE, buffer, small))
                .contains("tensor map 'result_map' describes a tensor of 256 bytes"));
        Buffer<float[]> nothing = gpu.floats(0);
        gpu.load(copy).prepare(List.of(0L, 8L), Scalars.NONE, nothing, nothing).start();
    }

    @Test
    void gridsAndClustersAreChecked() {
        KernelLaunch launch = kernel.prepare();
        assertTrue(refusal(() -> launch.grid(new Dim3(1, 65_536, 1))).contains("at most 65535 along y and z"));
        assertTrue(refusal(() -> launch.cluster(Dim3.of(2))).contains("which no launch can change"));
        launch.cluster(Dim3.ONE);
    }

    @Test
    void settingAllocatesNothing() {
        Buffer<float[]> buffer = gpu.floats(4);
        KernelLaunch launch = kernel.prepare();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // Until it is compiled it may.
        for (int attempt = 0; attempt < 50 && least > 0; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            setMany(launch, buffer);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }

    private static void setMany(KernelLaunch launch, Buffer<?> buffer) {
        for (int i = 0; i < 20_000; i++) {
            launch.set("bytes", i).set("tiles", 1).set("source", buffer).set(SCALAR, i).set(SCALAR, 0.5);
        }
    }

    /** Images of programs, counted. */
    private record Counting(EmulatedCuda cuda, AtomicInteger made) implements KernelImages {
        @Override
        public Compilation of(TileProgram program) {
            made.incrementAndGet();
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new Compilation(cuda.image(program), List.of());
        }

        @Override
        public Compilation of(CudaFunction function) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void threadsThatLoadTheSameKernelAtOnceShareIt() throws Exception {
        EmulatedCuda cuda = new EmulatedCuda();
        AtomicInteger made = new AtomicInteger();
        int threads = 16;
        try (Gpu one = new Gpu(cuda, Devices.probe(cuda).require(0), new Counting(cuda, made), EncoderChoice.JAVA,
                null);
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            CyclicBarrier together = new CyclicBarrier(threads);
            List<Future<float[]>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                float factor = t;
                results.add(pool.submit(() -> {
                    together.await();
                    try (Kernel mine = one.load(VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build());
                            Stream stream = one.stream();
                            Buffer<float[]> from = one.upload(new float[] {1, 2});
                            Buffer<float[]> to = one.floats(2)) {
                        together.await();
                        KernelLaunch launch = mine.prepare(List.of(2L), Scalars.of(SCALAR, factor), from, to)
                                .on(stream);
                        for (int i = 0; i < 10; i++) {
                            launch.start();
                        }
                        stream.synchronize();
                        together.await();
                        return to.download();
                    }
                }));
            }
            for (int t = 0; t < threads; t++) {
                assertArrayEquals(new float[] {t, 2 * t}, results.get(t).get());
            }
            assertEquals(1, made.get());
        }
        assertEquals(List.of(), cuda.leaks());
    }
}
