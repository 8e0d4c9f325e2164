package dev.tilewright.bench.runtime;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.streaming.HostSource;
import dev.tilewright.gpu.streaming.HostTarget;
import dev.tilewright.gpu.streaming.Rows;
import dev.tilewright.gpu.streaming.SlabWork;
import dev.tilewright.gpu.streaming.StreamSummary;
import dev.tilewright.gpu.streaming.Streamer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Our side of {@code streaming.cpp}: the same kernel and the same data, from pinned memory in place, or from a file in
 * the page cache to pinned memory. Every byte is checked after each pass; a pass is timed from its call to its return.
 */
final class StreamingSide implements AutoCloseable {
    private static final int SEED = 13;
    private static final int ROW = 16;
    /** A slab of 64 MiB takes longer than its copies then, which take 1.4 ms. */
    private static final int ADDITIONS = 6000;

    private final List<Gpu> gpus;
    private final Map<Gpu, Kernel> kernels = new HashMap<>();
    private final Map<Gpu, Kernel> longKernels = new HashMap<>();
    private final PinnedMemory memory;

    /** Pins memory, which takes far longer than a pass, and loads the kernel. @param bytes of the largest pass */
    StreamingSide(List<Gpu> gpus, RivalKernels sources, long bytes) {
        this.gpus = gpus;
        gpus.forEach(gpu -> kernels.put(gpu, gpu.load(sources.add())));
        gpus.forEach(gpu -> longKernels.put(gpu, gpu.load(sources.addOften())));
        this.memory = gpus.getFirst().pinned(bytes);
    }

    /** Makes the file that {@link #file} reads. */
    static void write(Path path, long bytes) {
        try (Arena arena = Arena.ofShared(); FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment words = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            Pattern.fill(words, SEED);
            // So that nothing is written meanwhile: the pages stay in the cache.
            words.force();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SlabWork adding(int value) {
        return slot -> {
            KernelLaunch launch = kernels.get(slot.gpu()).prepare().grid(8 * slot.gpu().info().multiprocessors())
                    .set("in", slot.input()).set("out", slot.output()).set("value", value).on(slot.stream());
            return slab -> launch.set("n", slab.rows()).start();
        };
    }

    private SlabWork addingOften(int value) {
        return slot -> {
            KernelLaunch launch = longKernels.get(slot.gpu()).prepare()
                    .grid(8 * slot.gpu().info().multiprocessors()).set("in", slot.input()).set("out", slot.output())
                    .set("value", value).set("times", ADDITIONS).on(slot.stream());
            return slab -> launch.set("n", slab.rows()).start();
        };
    }

    private interface Pass {
        StreamSummary run(int value);
    }

    private double[] times(int times, long bytes, boolean inPlace, Pass pass) {
        return times(times, bytes, inPlace, 1, pass);
    }

    private double[] times(int times, long bytes, boolean inPlace, int additions, Pass pass) {
        double[] rates = new double[times];
        MemorySegment words = memory.segment().asSlice(0, bytes);
        int added = 0;
        for (int i = 0; i < times; i++) {
            // Each pass adds another value, so that what an earlier one left is not taken for this one's.
            int value = 1000 + i;
            added = inPlace ? added + value * additions : value;
            long begin = System.nanoTime();
            pass.run(value);
            rates[i] = bytes / (double) (System.nanoTime() - begin);
            Pattern.expect("streaming", words, SEED, added);
        }
        return rates;
    }

    /**
     * GB/s each way, of each pass from pinned memory.
     *
     * @param count how many of the GPUs
     * @param settings sizes of the streamer, or none
     */
    double[] pinned(int count, long bytes, int times, UnaryOperator<Streamer> settings) {
        MemorySegment words = memory.segment().asSlice(0, bytes);
        Pattern.fill(words, SEED);
        Streamer streamer = settings.apply(Streamer.on(gpus.subList(0, count)));
        Rows rows = Rows.of(bytes / ROW).from(HostSource.of(words), ROW).to(HostTarget.of(words), ROW);
        return times(times, bytes, true, value -> streamer.run(rows, adding(value)));
    }

    /** GB/s each way, of each pass through a kernel that takes longer than the copies. */
    double[] computed(int count, long bytes, int times) {
        MemorySegment words = memory.segment().asSlice(0, bytes);
        Pattern.fill(words, SEED);
        Streamer streamer = Streamer.on(gpus.subList(0, count)).slab(64 << 20);
        Rows rows = Rows.of(bytes / ROW).from(HostSource.of(words), ROW).to(HostTarget.of(words), ROW);
        return times(times, bytes, true, ADDITIONS, value -> streamer.run(rows, addingOften(value)));
    }

    /** GB/s of each pass from a file to pinned memory. @param mapped whether it is mapped, which is timed, too */
    double[] file(int count, long bytes, int times, Path path, boolean mapped, UnaryOperator<Streamer> settings) {
        Streamer streamer = settings.apply(Streamer.on(gpus.subList(0, count)));
        HostTarget target = HostTarget.of(memory.segment().asSlice(0, bytes));
        return times(times, bytes, false, value -> {
            try (Arena arena = Arena.ofShared(); FileChannel channel = FileChannel.open(path)) {
                HostSource source = mapped
                        ? HostSource.of(channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes, arena))
                        : HostSource.of(channel, 0, bytes);
                return streamer.run(Rows.of(bytes / ROW).from(source, ROW).to(target, ROW), adding(value));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Override
    public void close() {
        memory.close();
        kernels.values().forEach(Kernel::close);
        longKernels.values().forEach(Kernel::close);
    }
}
