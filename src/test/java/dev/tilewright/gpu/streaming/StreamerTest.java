package dev.tilewright.gpu.streaming;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.RegisteredMemory;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where slabs come from and go to, and what is refused. */
class StreamerTest {
    private static final ElementwiseKernel SCALE = BulkCopy.of(ElementType.F32).tile(256).step(ElementStep.SCALE)
            .build();
    private static final Scalars TWICE = Scalars.of("scalar", 2);
    private static final int COUNT = 5000;
    private static final List<Long> SHAPE = List.of(50L, 100L);

    @TempDir
    Path folder;

    private final List<Gpu> gpus = Gpu.emulated(2);
    private final Streamer streamer = Streamer.on(gpus).slab(2048).slots(3);
    private final float[] input = new float[COUNT];
    private final float[] expected = new float[COUNT];

    StreamerTest() {
        for (int i = 0; i < COUNT; i++) {
            input[i] = i - 77;
            expected[i] = 2 * input[i];
        }
    }

    @AfterEach
    void close() {
        gpus.forEach(Gpu::close);
    }

    private MemorySegment bytes() {
        return MemorySegment.ofArray(input);
    }

    private void assertScaled(MemorySegment output) {
        assertArrayEquals(expected, output.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
    }

    @Test
    void anArrayGoesThroughSlabBySlab() {
        float[] output = new float[COUNT];
        StreamSummary summary = streamer.run(SCALE, TWICE, SHAPE, bytes(), MemorySegment.ofArray(output));
        assertArrayEquals(expected, output);
        assertEquals(4L * COUNT, summary.bytesUp());
        assertEquals(4L * COUNT, summary.bytesDown());
        assertEquals(2000, summary.slabBytes());
        assertEquals(10, summary.slabs());
        assertEquals(2, summary.slabsOfGpu().size());
        assertTrue(summary.time().isPositive());
    }

    @Test
    void pageLockedMemoryNeedsNoDetour() {
        try (PinnedMemory from = gpus.getFirst().pinned(4L * COUNT); PinnedMemory to = gpus.getLast()
                .pinned(4L * COUNT)) {
            from.segment().copyFrom(bytes());
            streamer.run(SCALE, TWICE, SHAPE, from.segment(), to.segment());
            assertScaled(to.segment());
        }
    }

    @Test
    void theResultMayReplaceTheSource() {
        streamer.run(SCALE, TWICE, SHAPE, bytes(), bytes());
        assertArrayEquals(expected, input);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4L * COUNT, 64);
            try (RegisteredMemory registered = gpus.getFirst().register(memory)) {
                memory.copyFrom(bytes());
                streamer.run(SCALE, TWICE, SHAPE, registered.segment(), memory);
                assertEquals(4 * -77f, memory.get(ValueLayout.JAVA_FLOAT, 0));
                assertEquals(2 * input[COUNT - 1], memory.get(ValueLayout.JAVA_FLOAT, 4L * COUNT - 4));
            }
        }
    }

    @Test
    void filesAreReadAndWritten() throws IOException {
        Path from = folder.resolve("from");
        Path to = folder.resolve("to");
        Files.write(from, bytes().toArray(ValueLayout.JAVA_BYTE));
        streamer.run(SCALE, TWICE, SHAPE, List.of(HostSource.of(from)), HostTarget.of(to));
        assertScaled(MemorySegment.ofArray(Files.readAllBytes(to)));
        streamer.run(SCALE, TWICE, SHAPE, List.of(HostSource.of(from)), HostTarget.of(from));
        assertScaled(MemorySegment.ofArray(Files.readAllBytes(from)));
        try (var files = Files.list(folder)) {
            assertEquals(2, files.count());
        }
    }

    @Test
    void partsOfOpenFilesAreReadAndWritten() throws IOException {
        Path file = folder.resolve("file");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes().toArray(ValueLayout.JAVA_BYTE)), 100);
            channel.position(3);
            streamer.run(SCALE, TWICE, SHAPE, List.of(HostSource.of(channel, 100, 4L * COUNT)),
                    HostTarget.of(channel, 50_000));
            assertEquals(3, channel.position());
            assertEquals(50_000 + 4L * COUNT, channel.size());
            assertTrue(channel.isOpen());
        }
        assertScaled(MemorySegment.ofArray(Files.readAllBytes(file)).asSlice(50_000));
    }

    @Test
    void mappedFilesAreMemory() throws IOException {
        Path from = folder.resolve("from");
        Files.write(from, bytes().toArray(ValueLayout.JAVA_BYTE));
        try (Arena arena = Arena.ofShared(); FileChannel in = FileChannel.open(from);
                FileChannel out = FileChannel.open(folder.resolve("to"), StandardOpenOption.CREATE,
                        StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment to = out.map(FileChannel.MapMode.READ_WRITE, 0, 4L * COUNT, arena);
            streamer.run(SCALE, TWICE, SHAPE, in.map(FileChannel.MapMode.READ_ONLY, 0, 4L * COUNT, arena), to);
            assertScaled(to);
        }
    }

    @Test
    void mappedFilesAreReadWhereTheSystemNamesThem() throws IOException {
        Path file = folder.resolve("with a space");
        Files.write(file, new byte[20_000]);
        try (Arena arena = Arena.ofShared(); FileChannel channel = FileChannel.open(file, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment shared = channel.map(FileChannel.MapMode.READ_ONLY, 5000, 9000, arena);
            assertNull(MappedFile.of(arena.allocate(100)));
            assertNull(MappedFile.of(bytes()));
            assertNull(MappedFile.of(channel.map(FileChannel.MapMode.PRIVATE, 0, 9000, arena)));
            if (Files.exists(Path.of("/proc/self/maps"))) {
                assertEquals(new MappedFile(file, 5000), MappedFile.of(shared));
                assertEquals(new MappedFile(file, 5777), MappedFile.of(shared.asSlice(777, 8000)));
                Files.move(file, folder.resolve("other"));
                assertEquals(new MappedFile(folder.resolve("other"), 5000), MappedFile.of(shared));
                Files.write(file, new byte[20_000]);
                Files.delete(folder.resolve("other"));
                assertNull(MappedFile.of(shared));
            }
        }
    }

    @Test
    void aPrivateMappingIsWhatItsOwnerSees() throws IOException {
        Path file = folder.resolve("file");
        Files.write(file, new byte[4 * COUNT]);
        float[] output = new float[COUNT];
        try (Arena arena = Arena.ofShared(); FileChannel channel = FileChannel.open(file, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment own = channel.map(FileChannel.MapMode.PRIVATE, 0, 4L * COUNT, arena);
            own.copyFrom(bytes());
            streamer.run(SCALE, TWICE, SHAPE, own, MemorySegment.ofArray(output));
            assertArrayEquals(expected, output);
            assertEquals(0, Files.readAllBytes(file)[3]);
        }
    }

    @Test
    void severalSourcesAndAnotherTypeOfResult() {
        ElementwiseKernel sum = VectorCopy.of(ElementType.F32).step((x, y) -> x.plus(y)).resultType(ElementType.F64)
                .build();
        double[] output = new double[COUNT];
        streamer.run(sum, Scalars.NONE, SHAPE, List.of(HostSource.of(bytes()), HostSource.of(bytes())),
                HostTarget.of(MemorySegment.ofArray(output)));
        for (int i = 0; i < COUNT; i++) {
            assertEquals(expected[i], output[i]);
        }
    }

    @Test
    void workOfTheApplicationsOwnGetsSlabs() {
        List<Long> firstRows = new ArrayList<>();
        byte[] output = new byte[7 * 30];
        byte[] from = new byte[7 * 20];
        SlabWork work = slot -> {
            assertEquals(2, slot.mostRows());
            assertEquals(40, slot.input().bytes());
            assertEquals(60, slot.output(0).bytes());
            return slab -> {
                synchronized (firstRows) {
                    firstRows.add(slab.firstRow());
                }
                assertEquals(20 * slab.rows(), slab.input().bytes());
                assertEquals(2 * slab.index(), slab.firstRow());
                slab.stream().fill(slab.output(), (byte) slab.index());
                slab.stream().copy(slab.input().slice(0, 3), slab.output());
            };
        };
        for (int i = 0; i < from.length; i++) {
            from[i] = (byte) (100 + i / 20);
        }
        Streamer.on(gpus).slab(80).slots(2).run(Rows.of(7).from(HostSource.of(MemorySegment.ofArray(from)), 20)
                .to(HostTarget.of(MemorySegment.ofArray(output)), 30), work);
        firstRows.sort(null);
        assertEquals(List.of(0L, 2L, 4L, 6L), firstRows);
        for (int row = 0; row < 7; row++) {
            int first = row % 2 == 0 ? 100 + row : row / 2;
            assertEquals(first, output[30 * row], "row " + row);
            assertEquals(first, output[30 * row + 2], "row " + row);
            assertEquals(row / 2, output[30 * row + 3], "row " + row);
        }
    }

    @Test
    void thereMayBeNoResultOrNoSource() {
        byte[] output = new byte[1000];
        Streamer.on(gpus).slab(64).run(Rows.of(1000).to(HostTarget.of(MemorySegment.ofArray(output)), 1),
                _ -> slab -> slab.stream().fill(slab.output(), (byte) 7));
        for (byte b : output) {
            assertEquals(7, b);
        }
        StreamSummary summary = Streamer.on(gpus).slab(64).run(Rows.of(COUNT).from(HostSource.of(bytes()), 4),
                _ -> _ -> { });
        assertEquals(0, summary.bytesDown());
        assertEquals(4L * COUNT, summary.bytesUp());
    }

    /** Launches go to the default stream unless they are told another. */
    @Test
    void workInTheDefaultStreamIsOrderedWithTheCopies() {
        byte[] output = new byte[1000];
        Streamer.on(gpus).slab(64).run(Rows.of(1000).to(HostTarget.of(MemorySegment.ofArray(output)), 1),
                slot -> slab -> slot.gpu().defaultStream().fill(slab.output(), (byte) 7));
        for (byte b : output) {
            assertEquals(7, b);
        }
    }

    @Test
    void anEmptyArrayTouchesNothing() {
        gpus.forEach(Gpu::close);
        MemorySegment none = MemorySegment.ofArray(new float[0]);
        assertEquals(0, streamer.run(SCALE, TWICE, List.of(0L, 3L), none, none).slabs());
        assertEquals(0, streamer.run(Rows.of(0), _ -> _ -> { }).slabs());
    }

    @Test
    void progressComesToItsEnd() {
        List<Long> seen = new ArrayList<>();
        streamer.progress((_, done, total) -> {
            assertEquals(4L * COUNT, total);
            seen.add(done);
        }).run(SCALE, TWICE, SHAPE, bytes(), bytes());
        assertEquals(seen.stream().sorted().distinct().toList(), seen);
        assertEquals(10, seen.size());
        assertEquals(4L * COUNT, seen.getLast());
    }

    private static void refused(String message, org.junit.jupiter.api.function.Executable executable) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, executable).getMessage());
    }

    @Test
    void whatDoesNotFitIsRefused() {
        refused("50 rows of 400 bytes are 20000 bytes, the source 0 has 19996",
                () -> Streamer.on(gpus).run(SCALE, TWICE, SHAPE, bytes().asSlice(4), bytes()));
        refused("the result has 20000 bytes, the memory for it 19996",
                () -> Streamer.on(gpus).run(SCALE, TWICE, SHAPE, bytes(), bytes().asSlice(4)));
        refused("the result cannot be written to read-only memory",
                () -> streamer.run(SCALE, TWICE, SHAPE, bytes(), bytes().asReadOnly()));
        refused("kernel '" + SCALE.program().name() + "' has 1 sources, got 2", () -> streamer.run(SCALE, TWICE, SHAPE,
                List.of(HostSource.of(bytes()), HostSource.of(bytes())), HostTarget.of(bytes())));
        refused("there are at least 0 rows, got -1", () -> Rows.of(-1));
        refused("rows are cut at multiples of at least 1, got 0", () -> Rows.of(1).cutAtMultiplesOf(0));
        refused("a row has at least 1 byte, and all of them less than 2^63, got 8 rows of 2305843009213693952 bytes",
                () -> Rows.of(8).from(HostSource.of(bytes()), 1L << 61));
        refused("slabs go through at least one GPU, got none", Streamer::on);
        refused("a slab has at least 1 byte, got 0", () -> streamer.slab(0));
        refused("a GPU has at least 1 slab under way, got 0", () -> streamer.slots(0));
        refused("at least 1 thread copies, got 0", () -> streamer.threads(0));
        MemorySegment memory = MemorySegment.ofArray(new byte[100]);
        refused("the result overlaps a source, but not row by row: it must be exactly the source, with rows as long, "
                + "or "
                + "lie elsewhere", () -> streamer.run(Rows.of(9).from(HostSource.of(memory.asSlice(0, 90)), 10)
                        .to(HostTarget.of(memory.asSlice(10)), 10), _ -> _ -> { }));
        refused("the targets 0 and 1 overlap", () -> streamer.run(Rows.of(10).to(HostTarget.of(memory), 10)
                .to(HostTarget.of(memory), 10), _ -> _ -> { }));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(100);
            refused("the source of 100 bytes is of a confined arena, and several threads copy it: allocate it in "
                    + "Arena.ofShared()", () -> streamer.run(Rows.of(10).from(HostSource.of(confined), 10),
                    _ -> _ -> { }));
        }
    }

    @Test
    void shapesAndScalarsAreRefusedBeforeAnythingIsStarted() throws IOException {
        ElementwiseKernel tensor = TensorCopy.of(ElementType.F32).tile(16, 32).build();
        MemorySegment odd = MemorySegment.ofArray(new float[15]);
        Path to = folder.resolve("to");
        assertThrows(BadRequestException.class, () -> streamer.run(tensor, Scalars.NONE, List.of(5L, 3L),
                List.of(HostSource.of(odd)), HostTarget.of(to)));
        assertThrows(BadRequestException.class, () -> streamer.run(SCALE, Scalars.NONE, SHAPE, bytes(), bytes()));
        assertThrows(BadRequestException.class, () -> streamer.run(SCALE, TWICE, List.of(-5L, 3L), odd, odd));
        try (var files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void filesThatAreNotThereAreRefused() {
        Path no = folder.resolve("no");
        assertThrows(UncheckedIOException.class, () -> HostSource.of(no));
        assertThrows(UncheckedIOException.class, () -> streamer.run(SCALE, TWICE, SHAPE,
                List.of(HostSource.of(bytes())), HostTarget.of(Files.createFile(no).resolve("file"))));
    }
}
