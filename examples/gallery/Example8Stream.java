import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.*;
import java.lang.foreign.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;

/** Normalises a file of 1,048,576 vectors of 16 floats, slab by slab: it may be larger than the GPU's memory. */
class Example8Stream {
    static final TileKernel NORMALISE = TileKernel.of("normalise", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
        k.forEachTile(java.util.List.of(k.steps(rows, 64)), at -> {
            Tile v = x.tile(at.get(0), Span.of(0, 16));
            y.store(v.times(v.times(v).sum(1).rsqrt()), at.get(0), Span.of(0, 16));
        });
    });

    public static void main(String[] args) throws Exception {
        long rows = 1 << 20, bytes = rows * 16 * Float.BYTES;
        Path in = Files.createTempFile("vectors", ".f32"), out = Files.createTempFile("normalised", ".f32");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment x = map(in, bytes, arena), y = map(out, bytes, arena);
            for (long i = 0; i < rows * 16; i++) {
                x.setAtIndex(ValueLayout.JAVA_FLOAT, i, (i * 2_654_435_761L >> 7 & 0xffff) / 32_768f - 1);
            }
            long start = System.nanoTime();
            if (Gpu.list().isEmpty()) {
                run(NORMALISE.onCpu(), x, y, rows);
            } else {
                try (Gpu gpu = Gpu.open()) {
                    run(Streamer.on(gpu).slab(8 << 20).launch(NORMALISE), x, y, rows);
                }
            }
            double length = 0;
            for (int i = 0; i < 16; i++) {
                length += Math.pow(y.getAtIndex(ValueLayout.JAVA_FLOAT, (rows - 1) * 16 + i), 2);
            }
            System.out.printf("%d MiB in %d ms; the last vector has length %.6f%n", bytes >> 20,
                    (System.nanoTime() - start) / 1_000_000, Math.sqrt(length));
        } finally {
            Files.delete(in);
            Files.delete(out);
        }
    }

    static void run(ArrayLaunch<?> launch, MemorySegment x, MemorySegment y, long rows) {
        launch.set("x", x, rows, 16).set("y", y, rows, 16).run();
    }

    static MemorySegment map(Path file, long bytes, Arena arena) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }
}
