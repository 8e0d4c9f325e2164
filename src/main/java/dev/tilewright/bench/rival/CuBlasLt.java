package dev.tilewright.bench.rival;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.host.NativeLibrary;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The matrix products of NVIDIA's library, which ours are timed beside, by each of the algorithms that it names. Facts
 * from cuBLAS' documentation: {@code cublasLtMatmul}, {@code cublasLtMatmulAlgoGetHeuristic}, {@code cudaDataType_t}.
 * Property {@code tilewright.cublasLt} names the library where the dynamic loader does not know it.
 */
public final class CuBlasLt implements AutoCloseable {
    private static final List<String> NAMES = List.of("libcublasLt.so.13", "libcublasLt.so.12",
            "/usr/local/cuda/lib64/libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.12");
    private static final int MOST_ALGORITHMS = 12;
    /** {@code cublasLtMatmulHeuristicResult_t}: an algorithm of 64 bytes, its workspace, its status, and more. */
    private static final int RESULT_BYTES = 96;
    private static final int STATE = 72;
    private static final int TRANSPOSE_FIRST = 3;
    private static final int FAST_ACCUMULATION = 25;
    private static final int MOST_WORKSPACE = 1;
    /** What NVIDIA recommends for Hopper. */
    private static final long WORKSPACE_BYTES = 32L << 20;

    /**
     * The types of a product: of the factors' elements in memory, of the result's, {@code cublasComputeType_t}, and of
     * what the product is multiplied by, 1.
     */
    public enum Kind {
        BF16(ValueType.BF16, ValueType.BF16, 68, ValueType.F32),
        F16(ValueType.F16, ValueType.F16, 68, ValueType.F32),
        F32(ValueType.F32, ValueType.F32, 68, ValueType.F32),
        TF32(ValueType.F32, ValueType.F32, 77, ValueType.F32),
        /** Sums stay in the tensor cores, as ours do. */
        E4M3(ValueType.E4M3, ValueType.BF16, 68, ValueType.F32),
        I8(ValueType.I8, ValueType.I32, 72, ValueType.I32),
        F64(ValueType.F64, ValueType.F64, 70, ValueType.F64);

        private final ValueType in;
        private final ValueType out;
        private final int compute;
        private final ValueType scale;

        Kind(ValueType in, ValueType out, int compute, ValueType scale) {
            this.in = in;
            this.out = out;
            this.compute = compute;
            this.scale = scale;
        }
    }

    private final Stream stream;
    private final NativeLibrary library;
    private final MethodHandle matmul;
    private final MemorySegment handle;
    private final Buffer<byte[]> workspace;
    private final Arena arena = Arena.ofShared();

    private CuBlasLt(Stream stream, NativeLibrary library) {
        this.stream = stream;
        this.library = library;
        this.matmul = function("cublasLtMatmul", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS,
                ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        this.workspace = stream.gpu().bytes(WORKSPACE_BYTES);
        this.handle = created("cublasLtCreate");
    }

    /**
     * Opens cuBLASLt on a stream: of the dynamic loader, of a toolkit, or of a package of Python's.
     *
     * @throws MissingRequirementException if there is none, with where it was looked for
     */
    public static CuBlasLt open(Stream stream) {
        List<String> names = new ArrayList<>();
        Optional.ofNullable(System.getProperty("tilewright.cublasLt")).filter(n -> !n.isEmpty()).ifPresent(names::add);
        names.addAll(NAMES);
        List<String> why = new ArrayList<>();
        return new CuBlasLt(stream, find(names, why).or(() -> find(inPython(), why)).orElseThrow(() ->
                new MissingRequirementException("no cuBLASLt: " + String.join("; ", why))));
    }

    private static Optional<NativeLibrary> find(List<String> names, List<String> why) {
        for (String name : names) {
            try {
                return Optional.of(NativeLibrary.open(name));
            } catch (MissingRequirementException e) {
                why.add(e.getMessage());
            }
        }
        return Optional.empty();
    }

    /** The files that a package of Python's has. */
    private static List<String> inPython() {
        return PythonEnvironment.of(HostEnvironment.current()).libraryPath().stream()
                .flatMap(folders -> Arrays.stream(folders.split(":")))
                .flatMap(folder -> NAMES.stream().filter(name -> !name.startsWith("/")).map(name ->
                        folder + "/" + name)).filter(file -> Files.exists(Path.of(file))).toList();
    }

    /** Its version: 130000 for 13.0. */
    public long version() {
        try {
            return (long) library.function("cublasLtGetVersion", FunctionDescriptor.of(JAVA_LONG)).orElseThrow()
                    .invokeExact();
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    /**
     * C = A B, once for each algorithm that the library names, its own choice first. All matrices lie row by row: A m ×
     * k, C m × n, and B k × n or, as {@code columns} says, n × k. cuBLAS, which takes matrices column by column, is
     * asked for C's transpose.
     *
     * @param columns whether B's columns lie in memory as rows
     */
    public List<Runnable> products(Kind kind, Buffer<?> a, Buffer<?> b, boolean columns, Buffer<?> c, int m, int n,
            int k) {
        MemorySegment description = created("cublasLtMatmulDescCreate", kind.compute, code(kind.scale));
        set("cublasLtMatmulDescSetAttribute", description, TRANSPOSE_FIRST, arena.allocateFrom(JAVA_INT,
                columns ? 1 : 0));
        if (kind == Kind.E4M3) {
            set("cublasLtMatmulDescSetAttribute", description, FAST_ACCUMULATION, arena.allocateFrom(JAVA_BYTE,
                    (byte) 1));
        }
        MemorySegment first = matrix(kind.in, columns ? k : n, columns ? n : k);
        MemorySegment second = matrix(kind.in, k, m);
        MemorySegment result = matrix(kind.out, n, m);
        MemorySegment preference = created("cublasLtMatmulPreferenceCreate");
        set("cublasLtMatmulPreferenceSetAttribute", preference, MOST_WORKSPACE, arena.allocateFrom(JAVA_LONG,
                WORKSPACE_BYTES));
        MemorySegment found = arena.allocate((long) RESULT_BYTES * MOST_ALGORITHMS, 8);
        MemorySegment count = arena.allocate(JAVA_INT);
        call("cublasLtMatmulAlgoGetHeuristic", function("cublasLtMatmulAlgoGetHeuristic", ADDRESS, ADDRESS, ADDRESS,
                ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS), handle, description, first, second,
                result, result, preference, MOST_ALGORITHMS, found, count);
        MemorySegment one = number(kind.scale, 1);
        MemorySegment zero = number(kind.scale, 0);
        List<Runnable> products = new ArrayList<>();
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
            MemorySegment algorithm = found.asSlice((long) RESULT_BYTES * i, RESULT_BYTES);
            if (algorithm.get(JAVA_INT, STATE) == 0) {
                long at = workspace.address();
                products.add(() -> {
                    int status;
                    try {
                        status = (int) matmul.invokeExact(handle, description, one, b.address(), first, a.address(),
                                second, zero, c.address(), result, c.address(), result, algorithm, at,
                                WORKSPACE_BYTES, stream.handle());
                    } catch (Throwable t) {
                        throw NativeLibrary.rethrow(t);
                    }
                    require("cublasLtMatmul", status);
                });
            }
        }
        if (products.isEmpty()) {
            throw new MissingRequirementException("cuBLASLt names no algorithm for " + kind);
        }
        return products;
    }

    /** A matrix, column by column. */
    private MemorySegment matrix(ValueType type, long rows, long columns) {
        MemorySegment out = arena.allocate(ADDRESS);
        call("cublasLtMatrixLayoutCreate", function("cublasLtMatrixLayoutCreate", ADDRESS, JAVA_INT, JAVA_LONG,
                JAVA_LONG, JAVA_LONG), out, code(type), rows, columns, rows);
        return out.get(ADDRESS, 0);
    }

    private MemorySegment created(String name, int... arguments) {
        MemorySegment out = arena.allocate(ADDRESS);
        if (arguments.length == 0) {
            call(name, function(name, ADDRESS), out);
        } else {
            call(name, function(name, ADDRESS, JAVA_INT, JAVA_INT), out, arguments[0], arguments[1]);
        }
        return out.get(ADDRESS, 0);
    }

    private void set(String name, MemorySegment object, int attribute, MemorySegment value) {
        call(name, function(name, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG), object, attribute, value, value.byteSize());
    }

    private MemorySegment number(ValueType type, int number) {
        return switch (type) {
            case I32 -> arena.allocateFrom(JAVA_INT, number);
            case F64 -> arena.allocateFrom(JAVA_DOUBLE, number);
            default -> arena.allocateFrom(JAVA_FLOAT, number);
        };
    }

    /** {@code cudaDataType_t}. */
    private static int code(ValueType type) {
        return switch (type) {
            case F32 -> 0;
            case F64 -> 1;
            case F16 -> 2;
            case I8 -> 3;
            case I32 -> 10;
            case BF16 -> 14;
            case E4M3 -> 28;
            default -> throw new IllegalArgumentException("cuBLASLt multiplies no " + type);
        };
    }

    private MethodHandle function(String name, MemoryLayout... arguments) {
        return library.function(name, FunctionDescriptor.of(JAVA_INT, arguments))
                .orElseThrow(() -> new MissingRequirementException("cuBLASLt has no function " + name));
    }

    private static void call(String name, MethodHandle function, Object... arguments) {
        int status;
        try {
            status = (int) function.invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
        require(name, status);
    }

    private static void require(String name, int status) {
        if (status != 0) {
            throw new IllegalStateException(name + " gives status " + status);
        }
    }

    @Override
    public void close() {
        stream.synchronize();
        call("cublasLtDestroy", function("cublasLtDestroy", ADDRESS), handle);
        workspace.close();
        arena.close();
    }
}
