package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.streaming.HostSource;
import dev.tilewright.gpu.streaming.HostTarget;
import dev.tilewright.gpu.streaming.Rows;
import dev.tilewright.gpu.streaming.StreamRun;
import dev.tilewright.gpu.streaming.StreamSummary;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.junit.RequiresGpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large arrays, slab by slab, through a GPU: every element is looked at. */
@Tag("gpu")
@RequiresGpu(minimum = "sm_90")
class StreamerGpuTest {
    private static final ElementwiseKernel SCALE = TensorCopy.of(ElementType.F32).tile(64, 32).step(ElementStep.SCALE)
            .build();
    private static final Scalars FACTOR = Scalars.of("scalar", 2.5);
    /** Rows that are no whole tiles, in an array of 1.1 GB. */
    private static final long ROWS = 1_060_001;
    private static final long COLUMNS = 260;
    private static final List<Long> SHAPE = List.of(ROWS, COLUMNS);
    private static final long BYTES = 4 * ROWS * COLUMNS;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private static Gpu gpu;

    @TempDir
    Path folder;

    @BeforeAll
    static void open() {
        gpu = Gpu.open();
    }

    @AfterAll
    static void close() {
        gpu.close();
    }

    private static float element(long i) {
        return (int) (i * 0x9E3779B97F4A7C15L >>> 40);
    }

    private static MemorySegment filled(MemorySegment memory) {
        parts().forEach(part -> {
            for (long i = part * COLUMNS; i < Math.min(ROWS, part + 1024) * COLUMNS; i++) {
                memory.set(FLOAT, 4 * i, element(i));
            }
        });
        return memory;
    }

    private static void assertScaled(MemorySegment memory) {
        parts().forEach(part -> {
            for (long i = part * COLUMNS; i < Math.min(ROWS, part + 1024) * COLUMNS; i++) {
                if (memory.get(FLOAT, 4 * i) != element(i) * 2.5f) {
                    assertEquals(element(i) * 2.5f, memory.get(FLOAT, 4 * i), "element " + i);
                }
            }
        });
    }

    private static LongStream parts() {
        return LongStream.iterate(0, row -> row < ROWS, row -> row + 1024).parallel();
    }

    @Test
    void pageLockedMemoryInPlaceAndOnAnotherGpuToo() {
        List<Gpu> all = Gpu.choose().openAll();
        try (PinnedMemory memory = gpu.pinned(BYTES)) {
            filled(memory.segment());
            StreamSummary summary = Streamer.on(gpu).run(SCALE, FACTOR, SHAPE, memory.segment(), memory.segment());
            assertScaled(memory.segment());
            assertTrue(summary.slabs() > 10);
            filled(memory.segment());
            Streamer.on(all).slab(8 << 20).run(SCALE, FACTOR, SHAPE, memory.segment(), memory.segment());
            assertScaled(memory.segment());
        } finally {
            all.forEach(Gpu::close);
        }
    }

    @Test
    void ordinaryMemoryToAFileAndBack() throws IOException {
        Path file = folder.resolve("scaled");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = filled(arena.allocate(BYTES, 64));
            Streamer.on(gpu).run(SCALE, FACTOR, SHAPE, List.of(HostSource.of(memory)), HostTarget.of(file));
            memory.fill((byte) 0);
            ElementwiseKernel copy = CpAsyncPipeline.of(ElementType.F32).build();
            try (FileChannel channel = FileChannel.open(file)) {
                Streamer.on(gpu).run(copy, Scalars.NONE, SHAPE,
                        channel.map(FileChannel.MapMode.READ_ONLY, 0, BYTES, arena), memory);
            }
            assertScaled(memory);
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void aFileOfMoreThanFourGiB() throws IOException {
        int row = 1 << 20;
        long rows = 5 * 1024 + 3;
        Path file = folder.resolve("sparse");
        byte[] firstBytes = new byte[(int) (8 * rows)];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            for (long r = 0; r < rows; r++) {
                channel.write(ByteBuffer.allocate(8).putLong(0, r * 77), r * row);
            }
            channel.truncate(rows * row);
            channel.write(ByteBuffer.allocate(1), rows * row - 1);
            Streamer.on(gpu).run(Rows.of(rows).from(HostSource.of(channel, 0, rows * row), row)
                    .to(HostTarget.of(MemorySegment.ofArray(firstBytes)), 8), _ -> slab -> {
                        for (long r = 0; r < slab.rows(); r++) {
                            slab.stream().copy(slab.input().slice(r * row, 8), slab.output().slice(r * 8, 8));
                        }
                    });
        } finally {
            Files.delete(file);
        }
        for (int r = 0; r < rows; r++) {
            assertEquals(r * 77L, ByteBuffer.wrap(firstBytes).getLong(8 * r), "row " + r);
        }
    }

    @Test
    void aCancelledRunEnds() throws InterruptedException {
        try (PinnedMemory memory = gpu.pinned(1 << 30)) {
            Rows rows = Rows.of(1 << 20).from(HostSource.of(memory.segment()), 1024)
                    .to(HostTarget.of(memory.segment()), 1024);
            for (int i = 0; i < 5; i++) {
                CountDownLatch some = new CountDownLatch(5);
                StreamRun run = Streamer.on(gpu).slab(1 << 20).start(rows, _ -> slab -> {
                    some.countDown();
                    slab.stream().copy(slab.input(), slab.output());
                });
                some.await();
                run.cancel();
                assertThrows(CancellationException.class, run::await);
                assertTrue(run.isDone());
            }
        }
    }
}
