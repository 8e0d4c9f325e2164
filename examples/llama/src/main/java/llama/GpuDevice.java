package llama;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A GPU, or an emulated one: a plan's calls are one graph. */
final class GpuDevice implements Device {
    private static final int TURNS = 7;
    private static final long COPIED = 1L << 30;

    private final Gpu gpu;
    private final Stream stream;
    private final Map<TileKernel, ArrayKernel> kernels = new HashMap<>();
    private final List<Buffer<?>> buffers = new ArrayList<>();

    /** @param gpu which is not closed with this */
    GpuDevice(Gpu gpu) {
        this.gpu = gpu;
        this.stream = gpu.stream();
    }

    private record Bytes(Buffer<byte[]> buffer) implements Memory {
        @Override
        public void write(long offset, MemorySegment from) {
            buffer.slice(offset, from.byteSize()).upload(from);
        }

        @Override
        public void read(long offset, MemorySegment to) {
            buffer.slice(offset, to.byteSize()).download(to);
        }

        private Buffer<byte[]> from(long offset) {
            return offset == 0 ? buffer : buffer.slice(offset, buffer.count() - offset);
        }
    }

    @Override
    public Memory allocate(long bytes) {
        Buffer<byte[]> buffer = gpu.bytes(bytes);
        buffers.add(buffer);
        buffer.fill((byte) 0);
        return new Bytes(buffer);
    }

    @Override
    public Target target() {
        return gpu.target();
    }

    @Override
    public Plan plan(List<Call> calls) {
        List<KernelLaunch> launches = calls.stream().map(this::launch).toList();
        Graph graph = stream.capture(_ -> launches.forEach(KernelLaunch::start));
        return new Plan() {
            @Override
            public void run(int times) {
                for (int i = 0; i < times; i++) {
                    graph.start();
                }
                stream.synchronize();
            }

            @Override
            public void close() {
                graph.close();
            }
        };
    }

    /** The device's own time for calls as one graph, in seconds: the least of several turns of some starts each. */
    double seconds(List<Call> calls, int starts) {
        List<KernelLaunch> launches = calls.stream().map(this::launch).toList();
        try (Graph graph = stream.capture(_ -> launches.forEach(KernelLaunch::start));
                Event begin = gpu.timedEvent(); Event end = gpu.timedEvent()) {
            double least = Double.POSITIVE_INFINITY;
            for (int turn = 0; turn < TURNS; turn++) {
                graph.start();
                stream.record(begin);
                for (int i = 0; i < starts; i++) {
                    graph.start();
                }
                stream.record(end);
                stream.synchronize();
                least = Math.min(least, end.millisecondsSince(begin) / 1e3 / starts);
            }
            return least;
        }
    }

    /** Bytes that are read and written in a second while memory is copied by the driver. */
    double copyRate() {
        try (Buffer<byte[]> from = gpu.bytes(COPIED); Buffer<byte[]> to = gpu.bytes(COPIED);
                Event begin = gpu.timedEvent(); Event end = gpu.timedEvent()) {
            double least = Double.POSITIVE_INFINITY;
            for (int turn = 0; turn < TURNS; turn++) {
                stream.record(begin);
                stream.copy(from, to);
                stream.record(end);
                stream.synchronize();
                least = Math.min(least, end.millisecondsSince(begin) / 1e3);
            }
            return 2 * COPIED / least;
        }
    }

    private KernelLaunch launch(Call call) {
        ArrayKernel.GpuLaunch launch = kernels.computeIfAbsent(call.kernel(), gpu::load).launch().on(stream);
        call.arrays().forEach((name, argument) -> launch.set(name,
                ((Bytes) argument.memory()).from(argument.offset()), argument.shape()));
        call.scalars().forEach(launch::scalar);
        return launch.prepare();
    }

    @Override
    public void close() {
        kernels.values().forEach(ArrayKernel::close);
        stream.close();
        buffers.forEach(Buffer::close);
    }
}
