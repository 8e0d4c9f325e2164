package dev.tilewright.gputest;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The matrix products of NVIDIA's library, which ours are timed beside. Facts from cuBLAS' documentation: {@code
 * cublasGemmEx}, {@code cublasSetWorkspace}, {@code cudaDataType_t}. Property {@code tilewright.cublas} names the
 * library where the dynamic loader does not know it.
 */
final class CuBlas implements AutoCloseable {
    private static final List<String> NAMES = List.of("libcublas.so.13", "libcublas.so.12",
            "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12");
    private static final int AS_IT_IS = 0;
    private static final int TRANSPOSED = 1;
    private static final int COMPUTE_32F = 68;
    private static final int DEFAULT_ALGORITHM = -1;
    /** What NVIDIA recommends for Hopper. */
    private static final long WORKSPACE_BYTES = 32L << 20;

    /** {@code cudaDataType_t}. */
    enum Type {
        F32(0), BF16(14);

        private final int code;

        Type(int code) {
            this.code = code;
        }
    }

    private final Stream stream;
    private final NativeLibrary library;
    private final MethodHandle gemm;
    private final MemorySegment handle;
    private final Buffer<byte[]> workspace;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment one = arena.allocateFrom(JAVA_FLOAT, 1);
    private final MemorySegment zero = arena.allocateFrom(JAVA_FLOAT, 0);

    private CuBlas(Stream stream, NativeLibrary library) {
        this.stream = stream;
        this.library = library;
        this.gemm = function("cublasGemmEx", ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS,
                JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT,
                JAVA_INT, JAVA_INT);
        this.workspace = stream.gpu().bytes(WORKSPACE_BYTES);
        MemorySegment out = arena.allocate(ADDRESS);
        call("cublasCreate_v2", function("cublasCreate_v2", ADDRESS), out);
        this.handle = out.get(ADDRESS, 0);
        call("cublasSetStream_v2", function("cublasSetStream_v2", ADDRESS, JAVA_LONG), handle,
                stream.handle());
        call("cublasSetWorkspace_v2", function("cublasSetWorkspace_v2", ADDRESS, JAVA_LONG, JAVA_LONG), handle,
                address(workspace), WORKSPACE_BYTES);
    }

    /**
     * Opens cuBLAS on a stream.
     *
     * @throws MissingRequirementException if there is none, with where it was looked for
     */
    static CuBlas open(Stream stream) {
        List<String> why = new ArrayList<>();
        for (String name : names()) {
            try {
                return new CuBlas(stream, NativeLibrary.open(name));
            } catch (MissingRequirementException e) {
                why.add(e.getMessage());
            }
        }
        throw new MissingRequirementException("no cuBLAS: " + String.join("; ", why));
    }

    /** What it may be called. */
    static List<String> names() {
        List<String> names = new ArrayList<>();
        Optional.ofNullable(System.getProperty("tilewright.cublas")).filter(n -> !n.isEmpty()).ifPresent(names::add);
        names.addAll(NAMES);
        return names;
    }

    /** Its version: 130000 for 13.0. */
    int version() {
        MemorySegment out = arena.allocate(JAVA_INT);
        call("cublasGetVersion_v2", function("cublasGetVersion_v2", ADDRESS, ADDRESS), handle, out);
        return out.get(JAVA_INT, 0);
    }

    /**
     * Starts C = A B with f32 sums. All matrices lie row by row: A m × k, C m × n, and B k × n or, as {@code columns}
     * says, n × k. cuBLAS, which takes matrices column by column, is asked for C's transpose.
     *
     * @param columns whether B's columns lie in memory as rows
     */
    void multiply(Buffer<?> a, Buffer<?> b, boolean columns, Buffer<?> c, Type in, Type out, int m, int n,
            int k) {
        call("cublasGemmEx", gemm, handle, columns ? TRANSPOSED : AS_IT_IS, AS_IT_IS, n, m, k, one, address(b), in.code,
                columns ? k : n, address(a), in.code, k, zero, address(c), out.code, n, COMPUTE_32F, DEFAULT_ALGORITHM);
    }

    private static long address(Buffer<?> buffer) {
        return buffer.address();
    }

    private MethodHandle function(String name, MemoryLayout... arguments) {
        return library.function(name, FunctionDescriptor.of(JAVA_INT, arguments))
                .orElseThrow(() -> new MissingRequirementException("cuBLAS has no function " + name));
    }

    private static void call(String name, MethodHandle function, Object... arguments) {
        int status;
        try {
            status = (int) function.invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
        if (status != 0) {
            throw new IllegalStateException(name + " gives status " + status);
        }
    }

    @Override
    public void close() {
        stream.synchronize();
        call("cublasDestroy_v2", function("cublasDestroy_v2", ADDRESS), handle);
        workspace.close();
        arena.close();
    }
}
