package dev.tilewright.gpu;

import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A launch on host memory, by copies that live as long as it does. */
final class HostRun {

    private HostRun() { }

    /** Runs it and waits for it: see {@link Gpu#run}. */
    static void of(Gpu gpu, Launch launch, List<MemorySegment> memory) {
        Buffer<?>[] buffers = new Buffer<?>[memory.size()];
        try (Kernel kernel = gpu.load(launch.program()); Stream stream = gpu.stream()) {
            for (int i = 0; i < buffers.length; i++) {
                buffers[i] = gpu.bytes(memory.get(i).byteSize());
                stream.upload(memory.get(i), buffers[i]);
            }
            kernel.prepare().allowLargerTensors().take(launch, buffers).on(stream).start();
            stream.synchronize();
            for (int i = 0; i < buffers.length; i++) {
                if (!memory.get(i).isReadOnly()) {
                    stream.download(buffers[i], memory.get(i));
                }
            }
            stream.synchronize();
        } finally {
            for (Buffer<?> buffer : buffers) {
                if (buffer != null) {
                    buffer.close();
                }
            }
        }
    }
}
