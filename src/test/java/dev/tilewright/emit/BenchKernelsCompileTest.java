package dev.tilewright.emit;

import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.ContentKernels;
import dev.tilewright.bench.device.CopyArrays;
import dev.tilewright.bench.kernel.Accumulate;
import dev.tilewright.bench.kernel.Broadcast;
import dev.tilewright.bench.kernel.ColumnReads;
import dev.tilewright.bench.kernel.Neighbours;
import dev.tilewright.bench.kernel.RingSum;
import dev.tilewright.bench.kernel.SwizzledTranspose;
import dev.tilewright.bench.kernel.ThreadBroadcast;
import dev.tilewright.bench.kernel.ThreadSum;
import dev.tilewright.bench.kernel.ThreadTranspose;
import dev.tilewright.bench.kernel.TileRows;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What suites measure compiles, by the embedded NVRTC 12.9, and so do the functions that fill and check on the device.
 */
class BenchKernelsCompileTest {
    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("12.9");
    }

    static Stream<TileProgram> kernels() {
        return Stream.of(new SwizzledTranspose(64, 64, 8).program(), new SwizzledTranspose(128, 128, 1).program(),
                ThreadTranspose.of(TileRows.PADDED).program(), ThreadTranspose.of(TileRows.SWIZZLED).program(),
                ThreadTranspose.of(TileRows.XORED).program(), new ThreadTranspose(TileRows.PLAIN, 32, 128).program(),
                new ThreadTranspose(TileRows.PADDED, 64, 512).program(),
                new ColumnReads(TileRows.PLAIN).program(), new ColumnReads(TileRows.SWIZZLED).program(),
                new Broadcast(2, 8192, true).program(), new Broadcast(4, 8192, false).program(),
                new ThreadBroadcast(4, 4).program(), RingSum.of(32768, 3, 8).program(),
                new RingSum(16384, 4, 8, 4, true, false).program(), new RingSum(16384, 4, 4, 1, false, true).program(),
                new ThreadSum(512, 4, ThreadSum.Updates.BLOCKS, true).program(),
                new ThreadSum(256, 8, ThreadSum.Updates.THREADS, false).program(),
                new Accumulate(Accumulate.Method.LOADS_AND_STORES, 4).program(),
                new Accumulate(Accumulate.Method.RED, 4).program(),
                new Accumulate(Accumulate.Method.BULK, 8192).program(), new Neighbours(30, 120).program());
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void kernel(TileProgram program) {
        CudaSource source = CudaEmitter.emit(program);
        EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), source.minimumTarget(),
                KernelCompiler.OPTIONS);
    }

    static Stream<CudaFunction> functions() {
        return Stream.concat(Arrays.stream(Content.values()).map(ContentKernels::filling),
                Stream.concat(Stream.of(CopyArrays.DIFFERING), Arrays.stream(Checks.class.getFields())
                        .map(BenchKernelsCompileTest::value)));
    }

    private static CudaFunction value(Field field) {
        try {
            return (CudaFunction) field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("functions")
    void function(CudaFunction function) {
        EmbeddedCompiler.compile(nvrtc, function.source(), function.name(), Target.SM_80, KernelCompiler.OPTIONS);
    }
}
