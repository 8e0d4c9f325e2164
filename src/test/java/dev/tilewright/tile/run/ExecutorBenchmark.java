package dev.tilewright.tile.run;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.kernel.ElementKernels;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The executor of tile kernels on all cores, beside {@code MemorySegment.copy} and plain loops on one: 4,096 rows of
 * 4,096 floats.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
public class ExecutorBenchmark {
    private static final int SIDE = 4096;

    private final float[] x = new float[SIDE * SIDE];
    private final float[] y = new float[SIDE * SIDE];
    private CpuLaunch copying;
    private CpuLaunch scaling;
    private CpuLaunch softmax;
    private CpuLaunch summing;
    private final float[] sums = new float[SIDE];
    private final float[] accumulators = new float[1024];

    @Setup
    public void fill() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) random.nextGaussian();
        }
        copying = ElementKernels.copy(ValueType.F32, 2).onCpu().set("x", x, SIDE, SIDE).set("y", y, SIDE, SIDE);
        scaling = ElementKernels.scale(ValueType.F32, 2).onCpu().set("x", x, SIDE, SIDE).set("y", y, SIDE, SIDE)
                .scalar("factor", 1.5);
        summing = RowKernels.rowSums(ValueType.F32).onCpu().set("x", x, SIDE, SIDE).set("y", sums, SIDE);
        softmax = RowKernels.softmax(ValueType.F32).onCpu().set("x", x, SIDE, SIDE).set("y", y, SIDE, SIDE);
    }

    @Benchmark
    public void copy() {
        copying.run();
    }

    @Benchmark
    public void copyBySegments() {
        MemorySegment.copy(MemorySegment.ofArray(x), 0, MemorySegment.ofArray(y), 0, 4L * SIDE * SIDE);
    }

    @Benchmark
    public void scale() {
        scaling.run();
    }

    @Benchmark
    public void scaleByALoop() {
        for (int i = 0; i < x.length; i++) {
            y[i] = x[i] * 1.5f;
        }
    }

    @Benchmark
    public void sumsOfRows() {
        summing.run();
    }

    /** In the order of the meaning. */
    @Benchmark
    public void sumsOfRowsByLoops() {
        for (int row = 0; row < SIDE; row++) {
            System.arraycopy(x, row * SIDE, accumulators, 0, accumulators.length);
            for (int lap = accumulators.length; lap < SIDE; lap += accumulators.length) {
                for (int i = 0; i < accumulators.length; i++) {
                    accumulators[i] += x[row * SIDE + lap + i];
                }
            }
            for (int h = accumulators.length / 2; h >= 1; h /= 2) {
                for (int i = 0; i < h; i++) {
                    accumulators[i] += accumulators[i + h];
                }
            }
            sums[row] = accumulators[0];
        }
    }

    @Benchmark
    public void softmaxOfRows() {
        softmax.run();
    }
}
