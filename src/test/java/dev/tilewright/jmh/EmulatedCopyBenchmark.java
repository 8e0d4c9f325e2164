package dev.tilewright.jmh;

import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What a benchmark of a user's looks like: here on a GPU that is none, for a test. */
@State(Scope.Benchmark)
@Fork(1)
public class EmulatedCopyBenchmark {
    private final Gpu gpu = Gpu.emulated();
    private final Stream stream = gpu.stream();
    private final Buffer<float[]> source = gpu.allocate(ArrayType.FLOATS, 1 << 14);
    private final Buffer<float[]> result = gpu.allocate(ArrayType.FLOATS, 1 << 14);

    @TearDown
    public void close() {
        gpu.close();
    }

    @Benchmark
    public void copies(DeviceTime device) {
        device.time(stream, () -> stream.copy(source, result));
    }

    @Benchmark
    public void nothingTimed() {
        stream.copy(source, result);
        stream.synchronize();
    }
}
