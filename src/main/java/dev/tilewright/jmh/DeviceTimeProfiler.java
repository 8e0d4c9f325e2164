package dev.tilewright.jmh;

import dev.tilewright.NotNull;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Puts the time that {@link DeviceTime} counted beside the score: {@code device.time}, in microseconds of the GPU for
 * one operation, of which JMH prints three decimals, where the benchmark has such a parameter. {@code -prof
 * dev.tilewright.jmh.DeviceTimeProfiler} on JMH's command line, or {@code addProfiler(DeviceTimeProfiler.class)} of its
 * options.
 *
 * <p>Operations of one invocation ({@code @OperationsPerInvocation}) share its time; so do threads: where several start
 * work on one GPU, which does one thing after the other, it is what one operation takes of the GPU.
 */
@SuppressWarnings("exports")
public final class DeviceTimeProfiler implements InternalProfiler {
    /** What the result is called. */
    static final String NAME = "device.time";

    /** JMH makes one for each fork. */
    public DeviceTimeProfiler() {
        // JMH wants a constructor.
    }

    @Override
    public String getDescription() {
        return "the GPU's time of an operation, by CUDA events (DeviceTime)";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmarkParams, IterationParams iterationParams) {
        NotNull.all("benchmarkParams, iterationParams", benchmarkParams, iterationParams);
        DeviceTime.restart();
    }

    @Override
    public List<ScalarResult> afterIteration(BenchmarkParams benchmarkParams, IterationParams iterationParams,
            IterationResult result) {
        NotNull.all("benchmarkParams, iterationParams, result", benchmarkParams, iterationParams, result);
        return results(result.getMetadata().getAllOps());
    }

    /** What is known of this many operations; nothing where nothing was timed. */
    static List<ScalarResult> results(long operations) {
        return DeviceTime.times() == 0 || operations == 0 ? List.of()
                : List.of(new ScalarResult(NAME, 1000 * DeviceTime.milliseconds() / operations, "us/op",
                        AggregationPolicy.AVG));
    }

    /** {@code profiler of device time}. */
    @Override
    public String toString() {
        return getDescription();
    }
}
