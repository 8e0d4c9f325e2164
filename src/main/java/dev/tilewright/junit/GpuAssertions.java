package dev.tilewright.junit;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.opentest4j.AssertionFailedError;

/**
 * Compares a device's memory with expected values, bit by bit. A failure says how many elements differ, the coordinates
 * of the first, and its two values with their bits:
 *
 * <pre>kernel 'tensor_scale', 'result' (buffer 1): 64 of 4096 elements differ, the first at [1, 0] and the last at [1,
 * 63]: expected 42.0 (0x42280000), got 21.0 (0x41A80000) at the first</pre>
 *
 * {@snippet lang=java :
 * @Test
 * @RequiresGpu(minimum = "sm_90")
 * void scalesAsTheReferenceDoes() {
 *     ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(8, 32).step(ElementStep.SCALE).build();
 *     try (Gpu gpu = Gpu.open()) {
 *         GpuAssertions.assertSameAsReference(gpu, kernel, Scalars.of("scalar", 2), HostArray.of(matrix, 64, 64));
 *     }
 * }
 * }
 */
public final class GpuAssertions {
    /** Bytes behind each buffer that nothing may write. */
    private static final int GUARD = 256;
    private static final byte GUARDED = (byte) 0xA5;
    /** What memory holds that a kernel has to write: not zero, so that what is left out shows. */
    private static final byte UNWRITTEN = (byte) 0xAB;
    private static final long ALIGNMENT = 256;

    private GpuAssertions() { }

    /**
     * Fails unless a buffer holds an array, after all that was started before.
     *
     * @param expected as many elements as the buffer has
     * @param shape the dimensions that a difference's coordinates are given in, outermost first; none for one dimension
     * @throws AssertionFailedError if an element differs, or the buffer has more or fewer elements
     */
    public static <A> void assertBufferEquals(A expected, Buffer<A> actual, long... shape) {
        NotNull.all("expected, actual, shape", expected, actual, shape);
        assertBufferEquals(HostArray.of(actual.type().memory(expected), elements(actual.type()), shape), actual);
    }

    /**
     * Fails unless a buffer holds elements of a type that Java has no arrays of, such as bf16, or host memory of any
     * kind.
     *
     * @throws AssertionFailedError if an element differs, or the buffer has more or fewer bytes
     */
    public static void assertBufferEquals(HostArray expected, Buffer<?> actual) {
        NotNull.all("expected, actual", expected, actual);
        if (actual.bytes() != expected.memory().byteSize()) {
            throw new AssertionFailedError("expected " + expected + ", which has " + expected.memory().byteSize()
                    + " bytes, got a buffer of " + Counted.of(actual.bytes(), "byte"));
        }
        try (Arena arena = Arena.ofShared()) {
            MemorySegment found = arena.allocate(actual.bytes(), ALIGNMENT);
            actual.download(found);
            assertSame(actual + ", " + expected, expected, found);
        }
    }

    /**
     * Runs a launch on a GPU and by the reference executor, and fails unless both leave the same bytes in all buffers,
     * and the GPU none behind them.
     *
     * @param buffers what the launch's buffer numbers stand for, before it; they are not changed
     * @throws AssertionFailedError if an element differs
     * @throws dev.tilewright.reference.fault.ReferenceException if the program makes a mistake that the reference names
     */
    public static void assertSameAsReference(Gpu gpu, Launch launch, HostArray... buffers) {
        NotNull.all("gpu, launch, buffers", gpu, launch, buffers);
        List<HostArray> before = List.of(buffers);
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> expected = before.stream().map(array -> copy(array, arena)).toList();
            // First: a kernel that would wait for ever, or write elsewhere, does not come to the GPU.
            Reference.run(launch, expected);
            List<MemorySegment> actual = runOn(gpu, launch, before, arena);
            for (int i = 0; i < before.size(); i++) {
                HostArray array = before.get(i);
                assertSame("kernel '" + launch.program().name() + "', " + named(launch, i),
                        new HostArray(expected.get(i), array.type(), array.shape()), actual.get(i));
            }
        }
    }

    /**
     * Runs a builder's kernel on a GPU and by the reference executor, and fails unless both leave the same result.
     *
     * @param scalars what the step's scalars are, {@link Scalars#NONE} for none
     * @param sources as many as the step takes, of the kernel's type and one shape; the result's memory is made here
     * @throws AssertionFailedError if an element differs
     * @throws dev.tilewright.BadRequestException if the kernel cannot move arrays of this shape
     */
    public static void assertSameAsReference(Gpu gpu, ElementwiseKernel kernel, Scalars scalars, HostArray... sources) {
        NotNull.all("gpu, kernel, scalars, sources", gpu, kernel, scalars, sources);
        List<HostArray> all = new ArrayList<>(List.of(sources));
        List<Long> shape = KernelMemory.shape(kernel, all, HostArray::type, HostArray::shape);
        Launch launch = kernel.launch(shape, scalars);
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = KernelMemory.of(kernel, launch, shape, arena);
            all.add(new HostArray(memory.get(all.size()).fill(UNWRITTEN), kernel.resultType(), shape));
            all.add(HostArray.of(memory.getLast(), ElementType.U8));
            assertSameAsReference(gpu, launch, all.toArray(HostArray[]::new));
        }
    }

    /**
     * Runs a tile kernel on a GPU and by the executor of the language on the CPU, and fails unless both leave the same
     * bytes in all arrays, and the GPU none behind them.
     *
     * {@snippet lang=java :
     * GpuAssertions.assertSameAsOnCpu(gpu, RowKernels.softmax(ValueType.F32), Map.of("x", HostArray.of(x, 100, 64),
     *         "y", HostArray.of(new float[6400], 100, 64)), Map.of());
     * }
     *
     * @param arrays all of the kernel's, by name, before the launch; they are not changed
     * @param scalars all of the kernel's, by name
     * @throws AssertionFailedError if an element differs
     */
    public static void assertSameAsOnCpu(Gpu gpu, TileKernel kernel, Map<String, HostArray> arrays,
            Map<String, Number> scalars) {
        NotNull.all("gpu, kernel, arrays, scalars", gpu, kernel, arrays, scalars);
        NamedArrays named = new NamedArrays(kernel, arrays, scalars);
        List<HostArray> before = named.inOrder();
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> expected = before.stream().map(array -> copy(array, arena)).toList();
            CpuLaunch onCpu = kernel.onCpu().arithmetic(kernel.arithmetic(gpu.target()));
            for (int i = 0; i < before.size(); i++) {
                onCpu.set(kernel.arrays().get(i).name(), expected.get(i), ArrayShape.dense(before.get(i).shape()));
            }
            scalars.forEach(onCpu::scalar);
            onCpu.run();
            Launch launch = named.launch(gpu.target(), gpu.info().multiprocessors());
            List<MemorySegment> actual = runOn(gpu, launch, before, arena);
            for (int i = 0; i < before.size(); i++) {
                HostArray array = before.get(i);
                assertSame("kernel '" + kernel.name() + "', '" + kernel.arrays().get(i).name() + "'",
                        new HostArray(expected.get(i), array.type(), array.shape()), actual.get(i));
            }
        }
    }

    private static List<MemorySegment> runOn(Gpu gpu, Launch launch, List<HostArray> before, Arena arena) {
        List<Buffer<byte[]>> whole = new ArrayList<>();
        try (Kernel kernel = gpu.load(launch.program())) {
            List<Buffer<byte[]>> parts = new ArrayList<>();
            for (HostArray array : before) {
                Buffer<byte[]> buffer = gpu.bytes(array.memory().byteSize() + GUARD);
                whole.add(buffer);
                buffer.fill(GUARDED);
                parts.add(buffer.slice(0, array.memory().byteSize()));
                parts.getLast().upload(array.memory());
            }
            kernel.prepare(launch, parts.toArray(Buffer<?>[]::new)).start();
            gpu.synchronize();
            List<MemorySegment> after = new ArrayList<>();
            for (int i = 0; i < whole.size(); i++) {
                MemorySegment found = arena.allocate(whole.get(i).bytes(), ALIGNMENT);
                whole.get(i).download(found);
                requireGuard("kernel '" + launch.program().name() + "', " + named(launch, i), found);
                after.add(found.asSlice(0, found.byteSize() - GUARD));
            }
            return after;
        } finally {
            whole.forEach(Buffer::close);
        }
    }

    private static void requireGuard(String what, MemorySegment found) {
        long end = found.byteSize() - GUARD;
        for (long at = end; at < found.byteSize(); at++) {
            byte there = found.get(ValueLayout.JAVA_BYTE, at);
            if (there != GUARDED) {
                throw new AssertionFailedError(what + ": the GPU wrote 0x%02X %s behind its end".formatted(there,
                        Counted.of(at - end, "byte")));
            }
        }
    }

    private static void assertSame(String what, HostArray expected, MemorySegment actual) {
        ElementDifferences.between(expected, new HostArray(actual, expected.type(), expected.shape())).ifPresent(d -> {
            throw d.failure(what);
        });
    }

    private static MemorySegment copy(HostArray array, Arena arena) {
        return arena.allocate(array.memory().byteSize(), ALIGNMENT).copyFrom(array.memory());
    }

    /** The parameters that name a buffer, and its number. */
    private static String named(Launch launch, int buffer) {
        String names = IntStream.range(0, launch.arguments().size())
                .filter(i -> switch (launch.arguments().get(i)) {
                    case Argument.Buffer b -> b.buffer() == buffer;
                    case Argument.Tensor t -> t.buffer() == buffer;
                    case Argument.Int _, Argument.Scalar _ -> false;
                }).mapToObj(i -> "'" + launch.program().parameters().get(i).name() + "'")
                        .collect(Collectors.joining(", "));
        return names.isEmpty() ? "buffer " + buffer : names + " (buffer " + buffer + ")";
    }

    private static ElementType elements(ArrayType<?> type) {
        return switch (type.toString()) {
            case "byte" -> ElementType.U8;
            case "short" -> ElementType.I16;
            case "int" -> ElementType.I32;
            case "long" -> ElementType.I64;
            case "float" -> ElementType.F32;
            default -> ElementType.F64;
        };
    }
}
