package dev.tilewright.reference;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Whole runs of copy kernels, from 1 GiB of global memory through shared memory to another 1 GiB, beside
 * {@link MemorySegment#copy} of the same bytes on one thread. An operation is a byte copied, so that operations per
 * nanosecond are GB/s. Two threads are what the JVM is given to see; give it two processors.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 1, jvmArgsAppend = {"-Xms512m", "-Xmx512m", "-XX:ActiveProcessorCount=2"})
@OperationsPerInvocation(ReferenceBenchmark.BYTES)
public class ReferenceBenchmark {
    static final int BYTES = 1 << 30;
    private static final long SIDE = 16384;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(BYTES, 4096);
    private final MemorySegment result = arena.allocate(BYTES, 4096);
    private final Launch tensor = launch("tensor-copy");
    private final Launch swizzled = launch("tensor-copy-128b");
    private final Launch bulk = launch("bulk-copy");

    private static Launch launch(String preset) {
        ElementwiseKernel kernel = Presets.named(preset).build(ElementType.F32, 2, Schedule.DEFAULT);
        return kernel.launch(List.of(SIDE, SIDE), 0);
    }

    @Setup
    public void fill() {
        source.fill((byte) 3);
        result.fill((byte) 1);
    }

    @TearDown
    public void free() {
        arena.close();
    }

    @Benchmark
    public void segmentCopy() {
        MemorySegment.copy(source, 0, result, 0, BYTES);
    }

    @Benchmark
    public void tensorOneThread() {
        run(tensor, ReferenceOptions.DEFAULT.sequential());
    }

    @Benchmark
    public void tensorTwoThreads() {
        run(tensor, ReferenceOptions.DEFAULT);
    }

    @Benchmark
    public void swizzledOneThread() {
        run(swizzled, ReferenceOptions.DEFAULT.sequential());
    }

    @Benchmark
    public void swizzledTwoThreads() {
        run(swizzled, ReferenceOptions.DEFAULT);
    }

    @Benchmark
    public void bulkOneThread() {
        run(bulk, ReferenceOptions.DEFAULT.sequential());
    }

    @Benchmark
    public void bulkTwoThreads() {
        run(bulk, ReferenceOptions.DEFAULT);
    }

    private void run(Launch launch, ReferenceOptions options) {
        Reference.run(launch, List.of(source, result), options);
    }
}
