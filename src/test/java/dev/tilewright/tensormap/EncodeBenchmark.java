package dev.tilewright.tensormap;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encoding in Java, checks included; to compare with {@code cuTensorMapEncodeTiled}, which takes about 130 ns. Run with
 * {@code -prof gc}: encoding into a segment and rebinding allocate nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EncodeBenchmark {

    /** Which description is encoded. */
    @Param({"matrix", "tile5d", "im2col"})
    public String kind;

    private final TensorMapEncoder encoder = TensorMapEncoder.java();
    private final MemorySegment segment = Arena.global().allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT);
    private TensorMap map;
    private TensorMapCache cache;
    private long address = 1 << 20;

    @Setup
    public void describe() {
        map = switch (kind) {
            case "matrix" -> RowMajorMatrix.of(TensorDataType.BFLOAT16, 4096, 8192, 64, 64, Target.SM_90).map();
            case "tile5d" -> TiledTensorMap.innermostFirst(TensorDataType.FLOAT32).shape(64, 100, 100, 100, 100)
                    .box(32, 4, 2, 2, 2).swizzle(Swizzle.B128).build(Target.SM_90);
            default -> Im2colTensorMap.outermostFirst(TensorDataType.FLOAT16).shape(8, 56, 56, 64).lowerCorner(-1, -1)
                    .upperCorner(-1, -1).channels(64).pixels(128).swizzle(Swizzle.B128).build(Target.SM_90);
        };
        cache = new TensorMapCache(encoder, Target.SM_90, 16);
        encoder.encode(map, address, Target.SM_90, segment);
    }

    @Benchmark
    public MemorySegment encode() {
        address ^= 4096;
        encoder.encode(map, address, Target.SM_90, segment);
        return segment;
    }

    @Benchmark
    public MemorySegment rebind() {
        address ^= 4096;
        TensorMapAddress.rebind(segment, address);
        return segment;
    }

    @Benchmark
    public TensorMapDescriptor cached() {
        return cache.get(map, 1 << 20);
    }
}
