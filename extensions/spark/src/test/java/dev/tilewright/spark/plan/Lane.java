package dev.tilewright.spark.plan;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A thread's share of batches, without Spark: one batch at a time, in memory that is there before time is measured, as
 * an executor's slots are.
 */
final class Lane {
    private final TileKernel kernel;
    private final List<MemorySegment> batches;
    private final long count;
    private final MemorySegment to;
    private final ArrayKernel loaded;
    private final Stream stream;
    private final Buffer<float[]> x;
    private final Buffer<float[]> y;

    /** @param gpu null for the CPU */
    Lane(Gpu gpu, TileKernel kernel, List<MemorySegment> batches) {
        this.kernel = kernel;
        this.batches = batches;
        long bytes = batches.getFirst().byteSize();
        this.count = bytes / Float.BYTES;
        this.to = gpu == null ? Arena.global().allocate(bytes, 64) : gpu.pinned(bytes).segment();
        this.loaded = gpu == null ? null : gpu.load(kernel);
        this.stream = gpu == null ? null : gpu.nonBlockingStream();
        this.x = gpu == null ? null : gpu.floats(count);
        this.y = gpu == null ? null : gpu.floats(count);
    }

    void compute() {
        for (MemorySegment batch : batches) {
            if (loaded == null) {
                kernel.onCpu().cores(1).set("x", batch, count).set("y", to, count).run();
            } else {
                stream.upload(batch, x);
                loaded.launch().set("x", x, count).set("y", y, count).on(stream).prepare().start();
                stream.download(y, to);
                stream.synchronize();
            }
        }
    }

    /** Copies the batches to the GPU, and as many bytes back. */
    void copy() {
        for (MemorySegment batch : batches) {
            stream.upload(batch, x);
            stream.download(y, to);
            stream.synchronize();
        }
    }
}
