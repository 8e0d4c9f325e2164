package dev.tilewright.examples;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.Stream;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Shape;
import dev.tilewright.program.ElementStep;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * A kernel's result goes to cuBLAS and cuBLAS' result to a kernel, without leaving the GPU and in one stream. cuBLAS is
 * bound through {@code java.lang.foreign} here: a library of NVIDIA's takes a buffer's address and a stream's handle,
 * and works in the context that the thread has, which {@link Gpu#inContext} provides for. Facts from cuBLAS'
 * documentation.
 */
public final class CuBlasProgram {
    private static final int AS_IT_IS = 0;
    /** For BLAS a matrix lies column by column: what lies row by row is its transpose. */
    private final SymbolLookup library;

    /** @param library cuBLAS, such as {@code SymbolLookup.libraryLookup("libcublas.so.13", Arena.global())} */
    public CuBlasProgram(SymbolLookup library) {
        this.library = library;
    }

    /**
     * {@code (scale A) B + 1}, of float32 matrices of n rows and columns, row by row.
     *
     * @param gpu where
     */
    public float[] run(Gpu gpu, float[] a, float[] b, int n, float scale) {
        ElementwiseKernel scaling = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build();
        ElementwiseKernel adding = VectorCopy.of(ElementType.F32).step(ElementStep.ADD).build();
        List<Long> shape = Shape.of(n, n);
        try (Arena arena = Arena.ofConfined(); Stream stream = gpu.stream();
                Kernel scaler = gpu.load(scaling); Kernel adder = gpu.load(adding);
                Buffer<float[]> left = gpu.upload(a); Buffer<float[]> right = gpu.upload(b);
                Buffer<float[]> scaled = gpu.floats((long) n * n); Buffer<float[]> product = gpu.floats((long) n * n);
                Buffer<float[]> sum = gpu.floats((long) n * n)) {
            MemorySegment handle = gpu.inContext(() -> create(stream, arena));
            scaler.prepare(shape, left, scaled).set("scalar", scale).on(stream).start();
            gpu.inContext(() -> multiply(handle, scaled, right, product, n, arena));
            adder.prepare(shape, product, sum).set("scalar", 1).on(stream).start();
            float[] result = sum.download();
            gpu.inContext(() -> call("cublasDestroy_v2", List.of(ADDRESS), handle));
            return result;
        }
    }

    /** A cuBLAS handle, which belongs to the context that is current, and puts its work into the stream. */
    private MemorySegment create(Stream stream, Arena arena) {
        MemorySegment out = arena.allocate(ADDRESS);
        call("cublasCreate_v2", List.of(ADDRESS), out);
        MemorySegment handle = out.get(ADDRESS, 0);
        call("cublasSetStream_v2", List.of(ADDRESS, JAVA_LONG), handle, stream.handle());
        return handle;
    }

    /** C = A B: with columns for rows, that is C' = B' A'. */
    private void multiply(MemorySegment handle, Buffer<float[]> a, Buffer<float[]> b, Buffer<float[]> c, int n,
            Arena arena) {
        MemorySegment one = arena.allocateFrom(JAVA_FLOAT, 1);
        MemorySegment zero = arena.allocateFrom(JAVA_FLOAT, 0);
        call("cublasSgemm_v2", List.of(ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG,
                        JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT),
                handle, AS_IT_IS, AS_IT_IS, n, n, n, one, b.address(), n, a.address(), n, zero, c.address(), n);
    }

    private void call(String name, List<MemoryLayout> types, Object... arguments) {
        MethodHandle function = Linker.nativeLinker().downcallHandle(library.findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, types.toArray(MemoryLayout[]::new)));
        int status;
        try {
            status = (int) function.invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw new IllegalStateException(name, t);
        }
        if (status != 0) {
            throw new IllegalStateException(name + " gives status " + status);
        }
    }
}
