package dev.tilewright.examples;

import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
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
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Multiply-adds a microsecond of whole kernels in the reference: the matrix products of the examples, copies and all.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(value = 1, jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:ActiveProcessorCount=2"})
public class ProductBenchmark {
    static final int F32_SIDE = 256;
    static final int BF16_SIDE = 512;

    private final ProductCase f32 = ProductCase.f32(F32_SIDE, F32_SIDE, F32_SIDE, 1);
    private final ProductCase bf16 = ProductCase.bf16(BF16_SIDE, BF16_SIDE, BF16_SIDE, 8, 1);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment c = arena.allocate(4L * BF16_SIDE * BF16_SIDE, 128);

    @TearDown
    public void free() {
        arena.close();
    }

    @Benchmark
    @OperationsPerInvocation(F32_SIDE * F32_SIDE * F32_SIDE)
    public void f32OneThread() {
        run(f32, ReferenceOptions.DEFAULT.sequential());
    }

    @Benchmark
    @OperationsPerInvocation(BF16_SIDE * BF16_SIDE * BF16_SIDE)
    public void bf16OneThread() {
        run(bf16, ReferenceOptions.DEFAULT.sequential());
    }

    @Benchmark
    @OperationsPerInvocation(BF16_SIDE * BF16_SIDE * BF16_SIDE)
    public void bf16TwoThreads() {
        run(bf16, ReferenceOptions.DEFAULT);
    }

    private void run(ProductCase product, ReferenceOptions options) {
        Reference.run(product.launch(), List.of(product.a(), product.b(), c), options);
    }
}
