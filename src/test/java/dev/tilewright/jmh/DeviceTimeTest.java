package dev.tilewright.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** A benchmark's work on a device is timed by events, all of it, on an emulated GPU. */
@Isolated("what is counted is the process's")
class DeviceTimeTest {

    /** More than may be under way at once, on streams of two GPUs by turns. */
    @Test
    void everythingThatIsTimedIsCounted() {
        DeviceTime.restart();
        DeviceTime device = new DeviceTime();
        int times = 3 * DeviceTime.IN_FLIGHT + 1;
        try (Gpu first = Gpu.emulated(); Gpu second = Gpu.emulated(); Buffer<float[]> a = first.floats(1000);
                Buffer<float[]> b = second.floats(1000); Stream one = first.stream(); Stream two = second.stream()) {
            for (int i = 0; i < times; i++) {
                boolean even = i % 2 == 0;
                device.time(even ? one : two, () -> (even ? one : two).fill(even ? a : b, (byte) 1));
                assertTrue(DeviceTime.times() >= i + 1 - DeviceTime.IN_FLIGHT, "what is under way has a bound");
            }
            device.finish();
            assertTrue(one.isIdle() && two.isIdle());
        }
        assertEquals(times, DeviceTime.times());
        assertTrue(DeviceTime.milliseconds() > 0, () -> DeviceTime.milliseconds() + " ms");
        ScalarResult result = DeviceTimeProfiler.results(times / 2).getFirst();
        assertEquals("us/op", result.getScoreUnit());
        assertEquals(1000 * DeviceTime.milliseconds() / (times / 2), result.getScore());
        DeviceTime.restart();
        assertTrue(DeviceTimeProfiler.results(times).isEmpty());
    }

    @Test
    void whatFailsIsNotCounted() {
        DeviceTime.restart();
        DeviceTime device = new DeviceTime();
        try (Gpu gpu = Gpu.emulated(); Stream stream = gpu.stream()) {
            assertEquals("no", assertThrows(IllegalArgumentException.class, () -> device.time(stream, () -> {
                throw new IllegalArgumentException("no");
            })).getMessage());
            String refused = assertThrows(IllegalStateException.class,
                    () -> stream.capture(s -> device.time(stream, () -> { }))).getMessage();
            assertTrue(refused.contains("is being captured, and captured work takes no time"), refused);
            device.finish();
        }
        assertEquals(0, DeviceTime.times());
    }

    /** JMH itself runs it, where the annotation processor has made its part of the benchmarks, as Maven has it do. */
    @Test
    void jmhPutsItBesideTheScore() throws Exception {
        assumeTrue(getClass().getResource("/META-INF/BenchmarkList") != null, "JMH's annotation processor has not run");
        Options options = new OptionsBuilder().include(EmulatedCopyBenchmark.class.getName()).forks(0)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(50)).measurementIterations(2)
                .measurementTime(TimeValue.milliseconds(100))
                .timeUnit(TimeUnit.MICROSECONDS).addProfiler(DeviceTimeProfiler.class).shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT).build();
        Map<String, RunResult> runs = new HashMap<>();
        new Runner(options).run().forEach(run -> runs.put(run.getParams().getBenchmark().replaceAll(".*\\.", ""), run));
        Result<?> timed = runs.get("copies").getSecondaryResults().get(DeviceTimeProfiler.NAME);
        assertNotNull(timed, () -> runs.get("copies").getSecondaryResults().toString());
        assertTrue(timed.getScore() > 0 && timed.getScore() < 1_000_000, timed::toString);
        assertEquals("us/op", timed.getScoreUnit());
        assertEquals(2, timed.getSampleCount());
        assertNull(runs.get("nothingTimed").getSecondaryResults().get(DeviceTimeProfiler.NAME));
    }
}
