package dev.tilewright.bench;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * How fast kernels copy a large array on a device, against the device's own copy ({@code cuMemcpy} on a GPU) in the
 * same run. Times are the device's own (a GPU's events); each is the median of several turns after a warm-up, on random
 * data, and every result is compared with the source afterwards.
 */
public final class CopyBenchmark implements AutoCloseable {
    /**
     * Milliseconds of the measured work itself before it is measured: an idle GPU takes a while to raise its clocks.
     */
    private static final double WARM_UP = 200;
    private static final int TURNS = 15;

    /**
     * One measurement.
     *
     * @param name what was measured
     * @param milliseconds median time of one copy
     * @param gigabytesPerSecond bytes read plus bytes written, in 10^9 per second
     * @param ofMemcpy the rate as a fraction of cuMemcpy's in the same run
     * @param correct whether every byte of the result was right
     */
    public record Row(String name, int blocks, double milliseconds, double gigabytesPerSecond, double ofMemcpy,
            boolean correct) {
    }

    private final Driver driver;
    private final long bytes;
    private final DeviceBuffer source;
    private final DeviceBuffer result;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment expected;
    private final MemorySegment actual;
    private final double memcpyMilliseconds;

    /** @param bytes size of the array; a multiple of 1 MiB */
    public CopyBenchmark(Driver driver, long bytes) {
        this.driver = driver;
        this.bytes = bytes;
        this.source = driver.allocate(bytes);
        this.result = driver.allocate(bytes);
        this.expected = arena.allocate(bytes, 64);
        this.actual = arena.allocate(bytes, 64);
        SplittableRandom random = new SplittableRandom(1);
        byte[] block = new byte[1 << 20];
        for (long at = 0; at < bytes; at += block.length) {
            random.nextBytes(block);
            MemorySegment.copy(block, 0, expected, java.lang.foreign.ValueLayout.JAVA_BYTE, at, block.length);
        }
        driver.upload(expected, source);
        memcpyMilliseconds = median(() -> driver.copy(source, result, bytes));
    }

    /** The rate of cuMemcpy itself. */
    public Row memcpy() {
        return new Row("cuMemcpy device to device", 0, memcpyMilliseconds, rate(memcpyMilliseconds), 1, true);
    }

    /**
     * Copies the array through a kernel.
     *
     * @param gridPolicy how many tiles each block takes, given how many blocks the device holds at once
     */
    public Row copy(String name, TileKernel kernel, List<Long> shape, IntFunction<GridPolicy> gridPolicy) {
        try (LoadedKernel loaded = driver.load(kernel.program())) {
            Launch launch = kernel.launch(shape, 0, gridPolicy.apply(loaded.residentBlocks()));
            try (DeviceBuffer workspace = driver.allocate(kernel.workspaceBytes(launch))) {
                List<DeviceBuffer> buffers = List.of(source, result, workspace);
                driver.fill(result, (byte) 0xCD);
                driver.launch(loaded, launch, buffers);
                driver.download(result, actual);
                boolean correct = expected.mismatch(actual) < 0;
                double milliseconds = median(() -> driver.launch(loaded, launch, buffers));
                return new Row(name, launch.blocks(), milliseconds, rate(milliseconds),
                        memcpyMilliseconds / milliseconds, correct);
            }
        }
    }

    private double rate(double milliseconds) {
        return 2.0 * bytes / milliseconds / 1e6;
    }

    private double median(Runnable work) {
        for (double warm = 0; warm < WARM_UP; ) {
            warm += driver.time(work);
        }
        double[] times = new double[TURNS];
        for (int i = 0; i < TURNS; i++) {
            times[i] = driver.time(work);
        }
        Arrays.sort(times);
        return times[TURNS / 2];
    }

    @Override
    public void close() {
        source.close();
        result.close();
        arena.close();
    }
}
