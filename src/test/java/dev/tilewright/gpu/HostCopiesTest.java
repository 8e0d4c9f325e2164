package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies of host memory of all kinds, of any size and at any offset, against plain Java, on an emulated GPU. */
@Timeout(120)
class HostCopiesTest {
    private static final int MOST = 6 << 20;
    private static final int MORE_THAN_STAGING = 40 << 20;
    private static final Gpu GPU = Gpu.emulated();

    /** Its files are deleted as soon as they are mapped. */
    private static final Path FOLDER = folder();

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("copies");
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where host memory can lie. */
    enum Kind {
        ARRAY, WIDER_ARRAY, HEAP_BUFFER, DIRECT_BUFFER, CONFINED, UNALIGNED, AUTOMATIC, MAPPED, MAPPED_BUFFER, PINNED;

        /** @param pinned a piece that holds so many bytes */
        MemorySegment allocate(int bytes, Arena arena, MemorySegment pinned) {
            return switch (this) {
                case ARRAY -> MemorySegment.ofArray(new byte[bytes]);
                case WIDER_ARRAY -> MemorySegment.ofArray(new double[Math.ceilDiv(bytes, 8)]).asSlice(0, bytes);
                case HEAP_BUFFER -> MemorySegment.ofBuffer(ByteBuffer.allocate(bytes + 3).position(3));
                case DIRECT_BUFFER -> MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes + 5).position(5));
                case CONFINED -> arena.allocate(bytes + 1).asSlice(1);
                case UNALIGNED -> Arena.ofAuto().allocate(bytes + 3).asSlice(2, bytes);
                case AUTOMATIC -> Arena.ofAuto().allocate(bytes, 64);
                case MAPPED -> map(bytes, arena, false);
                case MAPPED_BUFFER -> map(bytes, arena, true);
                case PINNED -> pinned;
            };
        }

        private static MemorySegment map(int bytes, Arena arena, boolean buffer) {
            try {
                Path file = Files.createTempFile(FOLDER, "mapped", "");
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    return buffer ? MemorySegment.ofBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes))
                            : channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
                } finally {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static byte[] random(int bytes, long seed) {
        byte[] random = new byte[bytes];
        new SplittableRandom(seed).nextBytes(random);
        return random;
    }

    @Property(tries = 150)
    void everyByteThereAndBack(@ForAll Kind from, @ForAll Kind to, @ForAll @IntRange(min = 1, max = MOST) int bytes,
            @ForAll @IntRange(max = 1000) int offset, @ForAll long seed, @ForAll boolean inStream) {
        thereAndBack(from, to, bytes, offset, seed, inStream);
    }

    private static void thereAndBack(Kind from, Kind to, int bytes, int offset, long seed, boolean inStream) {
        byte[] expected = random(bytes, seed);
        try (Arena arena = Arena.ofConfined(); Buffer<byte[]> buffer = GPU.bytes(bytes + offset + 7L);
                PinnedMemory pinned = GPU.pinned(2 * (bytes + 1L));
                Stream stream = inStream ? GPU.stream() : GPU.defaultStream()) {
            buffer.fill((byte) 0x5A);
            MemorySegment source = from.allocate(bytes, arena, pinned.segment().asSlice(1, bytes))
                    .copyFrom(MemorySegment.ofArray(expected));
            MemorySegment target = to.allocate(bytes, arena, pinned.segment().asSlice(bytes + 1L, bytes));
            Buffer<byte[]> part = buffer.slice(offset, bytes);
            stream.upload(source, part);
            if (from != Kind.PINNED) {
                // It has been read.
                source.fill((byte) 0);
            }
            stream.download(part, target);
            if (to == Kind.PINNED) {
                stream.synchronize();
            }
            assertEquals(-1, MemorySegment.ofArray(expected).mismatch(target));
            byte[] whole = buffer.download();
            for (int i = 0; i < offset; i++) {
                assertEquals(0x5A, whole[i], "before");
            }
            for (int i = offset + bytes; i < whole.length; i++) {
                assertEquals(0x5A, whole[i], "behind");
            }
        }
    }

    @Test
    void moreThanAllStagingMemory() {
        thereAndBack(Kind.UNALIGNED, Kind.ARRAY, MORE_THAN_STAGING, 3, 1, true);
        StagingSettings settings = StagingSettings.configured();
        long most = settings.lanes() * settings.laneBytes();
        assertTrue(GPU.hostCopies().stagingBytes() <= most && GPU.hostCopies().stagingBytes() > 0);
    }

    @Test
    void copiesKeepTheOrderOfTheirStream() {
        try (Buffer<byte[]> buffer = GPU.bytes(MOST); Stream stream = GPU.stream()) {
            for (int round = 0; round < 10; round++) {
                byte[] expected = random(MOST, round);
                stream.fill(buffer, (byte) round);
                stream.upload(MemorySegment.ofArray(expected), buffer);
                try (Buffer<byte[]> copy = GPU.bytes(MOST)) {
                    stream.copy(buffer, copy);
                    stream.fill(buffer, (byte) -round);
                    byte[] found = new byte[MOST];
                    stream.download(copy, MemorySegment.ofArray(found));
                    assertEquals(-1, MemorySegment.ofArray(expected).mismatch(MemorySegment.ofArray(found)));
                }
            }
        }
    }

    @Test
    void manyThreadsAtOnce() throws Exception {
        inThreads(Executors.newFixedThreadPool(24), 24);
    }

    @Test
    void manyVirtualThreadsAtOnce() throws Exception {
        inThreads(Executors.newVirtualThreadPerTaskExecutor(), 60);
    }

    private static void inThreads(ExecutorService threads, int count) throws Exception {
        try (threads) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                results.add(threads.submit(() -> {
                    SplittableRandom random = new SplittableRandom(number);
                    for (int round = 0; round < 6; round++) {
                        Kind[] kinds = Kind.values();
                        thereAndBack(kinds[random.nextInt(kinds.length)], kinds[random.nextInt(kinds.length)],
                                1 + random.nextInt(round % 2 == 0 ? MOST : 1000), random.nextInt(100), random.nextLong(),
                                random.nextBoolean());
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(100, TimeUnit.SECONDS);
            }
        }
    }

    @Property(tries = 60)
    void aFileThatWasCutShortIsAnError(@ForAll @IntRange(min = 1, max = MOST) int bytes,
            @ForAll @LongRange(max = MOST) long left, @ForAll boolean up) throws IOException {
        aFileCutShort(bytes, Math.min(left, bytes - 1), up);
    }

    /** Often enough for the code to be compiled, which meets the fault in another way than the interpreter. */
    @Test
    void aFileThatWasCutShortIsAnErrorInCompiledCodeToo() throws IOException {
        for (int i = 0; i < 2000; i++) {
            aFileCutShort(300_000, 0, i % 2 == 0);
        }
    }

    private static void aFileCutShort(int bytes, long left, boolean up) throws IOException {
        Path file = Files.createTempFile(FOLDER, "short", "");
        int page = 4096;
        long whole = Math.ceilDiv(left, page) * page;
        long mapped = whole + bytes;
        try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = GPU.bytes(mapped);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, mapped, arena);
            channel.truncate(whole);
            assertThrows(InternalError.class, () -> {
                if (up) {
                    buffer.upload(memory);
                } else {
                    buffer.download(memory);
                }
            });
        }
    }

    @Test
    void memoryOfAnotherThreadIsRefused() throws Exception {
        try (Arena arena = Arena.ofConfined(); Buffer<byte[]> buffer = GPU.bytes(16);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            MemorySegment memory = arena.allocate(16);
            thread.submit(() -> {
                assertThrows(WrongThreadException.class, () -> buffer.upload(memory));
                assertThrows(WrongThreadException.class, () -> buffer.download(memory));
            }).get();
        }
    }

    @Test
    void closedAndReadOnlyMemoryIsRefused() {
        try (Buffer<byte[]> buffer = GPU.bytes(16); Arena open = Arena.ofConfined()) {
            MemorySegment memory;
            try (Arena arena = Arena.ofConfined()) {
                memory = arena.allocate(16);
            }
            assertThrows(IllegalStateException.class, () -> buffer.upload(memory));
            assertThrows(IllegalStateException.class, () -> buffer.download(memory));
            MemorySegment readOnly = open.allocate(16).asReadOnly();
            buffer.upload(readOnly);
            assertThrows(IllegalArgumentException.class, () -> buffer.download(readOnly));
        }
    }

    @Test
    void anInterruptStaysAndStopsNothing() {
        Thread.currentThread().interrupt();
        thereAndBack(Kind.ARRAY, Kind.ARRAY, MOST, 1, 5, true);
        assertTrue(Thread.interrupted());
        assertFalse(Thread.interrupted());
    }

    @Test
    void valuesArriveInTheirOrder() {
        try (Buffer<long[]> buffer = GPU.allocate(ArrayType.LONGS, MOST / 8)) {
            long[] values = new SplittableRandom(1).longs(MOST / 8).toArray();
            buffer.upload(values);
            assertEquals(values[77], buffer.slice(77, 1).download()[0]);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(MOST);
                buffer.download(memory);
                assertEquals(values[78], memory.getAtIndex(ValueLayout.JAVA_LONG, 78));
            }
        }
    }
}
