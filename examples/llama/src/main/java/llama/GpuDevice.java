package llama;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A GPU, or an emulated one: a plan's calls are one graph. */
final class GpuDevice implements Device {
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
        public void read(MemorySegment to) {
            buffer.slice(0, to.byteSize()).download(to);
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
    public Plan plan(List<Call> calls) {
        List<KernelLaunch> launches = calls.stream().map(this::launch).toList();
        Graph graph = stream.capture(_ -> launches.forEach(KernelLaunch::start));
        return new Plan() {
            @Override
            public void run() {
                graph.start();
                stream.synchronize();
            }

            @Override
            public void close() {
                graph.close();
            }
        };
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
