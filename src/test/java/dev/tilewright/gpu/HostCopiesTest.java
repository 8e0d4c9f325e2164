package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.staging.StagingSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies of host memory of all kinds, of any size and at any offset, against plain Java, on an emulated GPU. */
@Order(15)
@Timeout(600)
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

        /** @param pinned of which it is the bytes from {@code at} on, if it is of it */
        MemorySegment allocate(int bytes, Arena arena, PinnedMemory pinned, long at) {
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
                case PINNED -> pinned.segment().asSlice(at, bytes);
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

    /** Copies move a part of it, another for each seed. */
    private static final byte[] RANDOM = new byte[MOST + (1 << 20)];

    static {
        new SplittableRandom(1).nextBytes(RANDOM);
    }

    private static MemorySegment random(int bytes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        if (bytes > MOST) {
            byte[] more = new byte[bytes];
            random.nextBytes(more);
            return MemorySegment.ofArray(more);
        }
        return MemorySegment.ofArray(RANDOM).asSlice(random.nextInt(RANDOM.length - bytes + 1), bytes).asReadOnly();
    }

    @Property(tries = 60)
    void everyByteThereAndBack(@ForAll Kind from, @ForAll Kind to, @ForAll @IntRange(min = 1, max = MOST) int bytes,
            @ForAll @IntRange(max = 1000) int offset, @ForAll long seed, @ForAll boolean inStream) {
        thereAndBack(from, to, bytes, offset, seed, inStream);
    }

    private static void thereAndBack(Kind from, Kind to, int bytes, int offset, long seed, boolean inStream) {
        MemorySegment expected = random(bytes, seed);
        boolean isPinned = from == Kind.PINNED || to == Kind.PINNED;
        try (Arena arena = Arena.ofConfined(); Buffer<byte[]> buffer = GPU.bytes(bytes + offset + 7L);
                PinnedMemory pinned = GPU.pinned(isPinned ? 2 * (bytes + 1L) : 1);
                Stream stream = inStream ? GPU.stream() : GPU.defaultStream()) {
            buffer.fill((byte) 0x5A);
            MemorySegment source = from.allocate(bytes, arena, pinned, 1).copyFrom(expected);
            MemorySegment target = to.allocate(bytes, arena, pinned, bytes + 1L);
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
            assertEquals(-1, expected.mismatch(target));
            for (byte before : buffer.slice(0, offset).download()) {
                assertEquals(0x5A, before, "before");
            }
            for (byte behind : buffer.slice(offset + bytes, 7).download()) {
                assertEquals(0x5A, behind, "behind");
            }
        }
    }

    @Property
    void piecesCoverACopyAndFitALane(@ForAll @LongRange(min = 1, max = 1L << 33) long bytes,
            @ForAll @IntRange(max = 15) int threads, @ForAll @IntRange(min = 1, max = 64) int sixteenths) {
        StagingSettings settings = new StagingSettings(threads, sixteenths << 16, 2, 1, 0, 0, 0, 1 << 19);
        int pieces = 0;
        for (long at = 0; at < bytes; pieces++) {
            long piece = settings.pieceAt(at, bytes);
            assertTrue(piece > 0 && piece <= settings.piece() && at + piece <= bytes,
                    "a piece of " + piece + " at " + at);
            at += piece;
        }
        assertTrue(pieces <= 200 + bytes / (settings.piece() / 2), pieces + " pieces");
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
                MemorySegment expected = random(MOST, round);
                stream.fill(buffer, (byte) round);
                stream.upload(expected, buffer);
                try (Buffer<byte[]> copy = GPU.bytes(MOST)) {
                    stream.copy(buffer, copy);
                    stream.fill(buffer, (byte) -round);
                    byte[] found = new byte[MOST];
                    stream.download(copy, MemorySegment.ofArray(found));
                    assertEquals(-1, expected.mismatch(MemorySegment.ofArray(found)));
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
        inThreads(Executors.newVirtualThreadPerTaskExecutor(), Thorough.of(24, 60));
    }

    private static void inThreads(ExecutorService threads, int count) throws Exception {
        try (threads) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                results.add(threads.submit(() -> {
                    SplittableRandom random = new SplittableRandom(number);
                    for (int round = 0; round < Thorough.of(3, 6); round++) {
                        Kind[] kinds = Kind.values();
                        thereAndBack(kinds[random.nextInt(kinds.length)], kinds[random.nextInt(kinds.length)],
                                1 + random.nextInt(round % 2 == 0 ? MOST : 1000), random.nextInt(100),
                                random.nextLong(), random.nextBoolean());
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(5, TimeUnit.MINUTES);
            }
        }
    }

    @Property(tries = 60)
    void aFileThatWasCutShortIsAnError(@ForAll @IntRange(min = 1, max = MOST) int bytes,
            @ForAll @LongRange(max = MOST) long left, @ForAll boolean up) throws IOException {
        aFileCutShort(bytes, Math.min(left, bytes - 1), up);
    }

    /**
     * Often enough for the code to be compiled, which meets the fault in another way than the interpreter, and of few
     * bytes, too, in whose copy the JVM comes to no safepoint.
     */
    @Test
    void aFileThatWasCutShortIsAnErrorInCompiledCodeToo() throws Exception {
        int most = 300_000;
        cutShort(most, 0, (memory, buffer) -> {
            for (int i = 0; i < 2000; i++) {
                int bytes = i % 4 < 2 ? most : 1 + i % 64;
                isAnError(memory.asSlice(0, bytes), buffer.slice(0, bytes), i % 2 == 0);
            }
        });
        // Nothing that the copies of all threads share is held by this one.
        CompletableFuture.runAsync(() -> thereAndBack(Kind.ARRAY, Kind.ARRAY, 1000, 0, 1, false))
                .get(1, TimeUnit.MINUTES);
    }

    private static void aFileCutShort(int bytes, long left, boolean up) throws IOException {
        cutShort(bytes, left, (memory, buffer) -> isAnError(memory, buffer, up));
    }

    /** Maps a file of which no page is there but those with the first bytes, {@code left}, and a buffer as large. */
    private static void cutShort(int bytes, long left, BiConsumer<MemorySegment, Buffer<byte[]>> use)
            throws IOException {
        Path file = Files.createTempFile(FOLDER, "short", "");
        int page = 4096;
        long whole = Math.ceilDiv(left, page) * page;
        long mapped = whole + bytes;
        try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = GPU.bytes(mapped);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, mapped, arena);
            channel.truncate(whole);
            use.accept(memory, buffer);
        }
    }

    private static void isAnError(MemorySegment memory, Buffer<byte[]> buffer, boolean up) {
        ShortBuffer view = memory.asSlice(0, memory.byteSize() / 2 * 2).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN)
                .asShortBuffer();
        InternalError thrown = assertThrows(InternalError.class, () -> {
            if (memory.byteSize() % 4 == 2) {
                // It does not know its file.
                if (up) {
                    buffer.upload(view);
                } else {
                    buffer.download(view);
                }
            } else if (up) {
                buffer.upload(memory);
            } else {
                buffer.download(memory);
            }
        });
        assertTrue(saysWhoAsked(thrown), "whichever thread met it, the stack of the caller is in it");
    }

    private static boolean saysWhoAsked(Throwable thrown) {
        return Arrays.stream(thrown.getStackTrace()).anyMatch(e -> e.getClassName()
                .startsWith(HostCopiesTest.class.getName()))
                || Arrays.stream(thrown.getSuppressed()).anyMatch(HostCopiesTest::saysWhoAsked);
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

    /** Each copy ends well or says that the GPU is closed, and the staging memory goes. */
    @Test
    void closingWhileThreadsCopy() throws Exception {
        for (int round = 0; round < 5; round++) {
            EmulatedGpus gpus = new EmulatedGpus();
            Gpu gpu = gpus.open();
            try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
                List<Future<?>> results = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    results.add(threads.submit(() -> {
                        Buffer<byte[]> buffer = gpu.bytes(MOST);
                        byte[] array = new byte[MOST];
                        while (true) {
                            buffer.upload(array);
                            buffer.download(array);
                        }
                    }));
                }
                Thread.sleep(30);
                gpu.close();
                for (Future<?> result : results) {
                    Throwable thrown = assertThrows(ExecutionException.class, () -> result.get(3, TimeUnit.MINUTES))
                            .getCause();
                    assertTrue(thrown instanceof IllegalStateException && thrown.getMessage().contains("closed"),
                            thrown::toString);
                }
            }
            assertEquals(List.of(), gpus.leaks());
            assertEquals(0, gpu.hostCopies().stagingBytes());
        }
    }

    @Test
    void aSegmentKeepsItsPinnedMemory() throws Exception {
        MemorySegment segment = GPU.pinned(1 << 16).segment().asSlice(7, 100);
        Garbage.collect();
        assertTrue(GPU.isPageLocked(segment));
        segment.fill((byte) 1);
        assertEquals(1, segment.get(ValueLayout.JAVA_BYTE, 99));
    }

    @Test
    void pinnedMemoryWaitsForItsCopiesAndEnds() {
        try (Buffer<byte[]> buffer = GPU.bytes(MOST); Stream stream = GPU.stream()) {
            PinnedMemory pinned = GPU.pinned(MOST);
            MemorySegment segment = pinned.segment();
            segment.fill((byte) 7);
            stream.upload(segment, buffer);
            pinned.close();
            pinned.close();
            assertFalse(pinned.isOpen());
            assertTrue(stream.isIdle());
            assertEquals(7, buffer.download()[MOST - 1]);
            assertThrows(IllegalStateException.class, pinned::segment);
            assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, () -> stream.upload(segment, buffer));
        }
    }

    @Test
    void registeredMemoryIsPageLockedForAWhile() {
        try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = GPU.bytes(MOST); Stream stream = GPU.stream()) {
            MemorySegment memory = arena.allocate(MOST).fill((byte) 3);
            assertFalse(GPU.isPageLocked(memory));
            try (RegisteredMemory registered = GPU.register(memory)) {
                assertTrue(GPU.isPageLocked(memory.asSlice(5)));
                assertEquals(MOST, registered.bytes());
                CudaException again = assertThrows(CudaException.class, () -> GPU.register(memory.asSlice(0, 4096)));
                assertTrue(again.getMessage().contains("registered already"), again::getMessage);
                stream.upload(registered.segment(), buffer);
            }
            assertTrue(stream.isIdle());
            assertFalse(GPU.isPageLocked(memory));
            assertEquals(3, buffer.download()[MOST - 1]);
        }
    }

    @Test
    void partsOfArraysAndBuffersOfJavaNio() {
        try (Buffer<int[]> buffer = GPU.upload(new int[10])) {
            buffer.upload(new int[] {1, 2, 3, 4, 5}, 1, 3);
            int[] found = new int[8];
            buffer.slice(1, 4).download(found, 3, 4);
            assertArrayEquals(new int[] {0, 0, 0, 3, 4, 0, 0, 0}, found);
            buffer.slice(6, 4).upload(IntBuffer.wrap(new int[] {7, 8, 9}).position(1));
            assertArrayEquals(new int[] {2, 3, 4, 0, 0, 0, 8, 9, 0, 0}, buffer.download());
            ByteBuffer bytes = ByteBuffer.allocateDirect(8).putInt(1).putInt(2).flip();
            assertThrows(IllegalArgumentException.class, () -> buffer.upload(bytes));
            buffer.as(ArrayType.BYTES).upload(bytes);
            assertEquals(Integer.reverseBytes(1), buffer.download()[0]);
            ByteBuffer little = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            buffer.download(little);
            assertEquals(Integer.reverseBytes(1), little.getInt(0));
            assertEquals(0, little.position());
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.upload(new int[5], 3, 3));
            assertThrows(IllegalArgumentException.class, () -> buffer.slice(0, 2).upload(new int[5], 1, 3));
            assertThrows(IllegalArgumentException.class, () -> buffer.upload(new int[11]));
            assertThrows(IllegalArgumentException.class, () -> buffer.download(new int[11]));
        }
    }

    @Test
    void everyTypeOfArray() {
        try (Buffer<short[]> shorts = GPU.upload(new short[] {1, -2}); Buffer<long[]> longs =
                GPU.upload(new long[] {3, -4});
                Buffer<double[]> doubles = GPU.upload(ArrayType.DOUBLES, MemorySegment.ofArray(new double[] {1.5}))) {
            assertArrayEquals(new short[] {1, -2}, shorts.download());
            assertArrayEquals(new long[] {3, -4}, longs.download());
            assertArrayEquals(new double[] {1.5}, doubles.download());
            assertThrows(IllegalArgumentException.class,
                    () -> GPU.upload(ArrayType.DOUBLES, MemorySegment.ofArray(new int[] {1})));
            try (Buffer<long[]> more = GPU.longs(3); Buffer<short[]> few = GPU.shorts(1)) {
                more.slice(1, 2).copyFrom(longs);
                assertEquals(-4, more.download()[2]);
                assertThrows(IllegalArgumentException.class, () -> few.copyFrom(longs));
                assertThrows(IllegalArgumentException.class, () -> more.slice(0, 2).copyTo(more.slice(1, 2)));
            }
        }
    }

    @Test
    void laterCopies() {
        try (Buffer<byte[]> buffer = GPU.bytes(MOST)) {
            byte[] expected = random(MOST, 9).toArray(ValueLayout.JAVA_BYTE);
            buffer.uploadAsync(expected).join();
            assertArrayEquals(expected, buffer.downloadAsync().join());
            byte[] small = new byte[MOST + 1];
            assertThrows(CompletionException.class, () -> buffer.uploadAsync(small).join());
        }
    }

    @Test
    void betweenGpus() {
        EmulatedGpus gpus = new EmulatedGpus(2);
        try (Gpu one = gpus.open(0); Gpu other = gpus.open(1)) {
            assertTrue(one.canAccess(one));
            int[] expected = new SplittableRandom(1).ints(100_000).toArray();
            try (Buffer<int[]> here = one.upload(expected); Buffer<int[]> there = other.ints(expected.length);
                    Buffer<int[]> again = one.ints(expected.length)) {
                here.copyTo(there);
                again.copyFrom(there);
                assertArrayEquals(expected, again.download());
                assertFalse(one.canAccess(GPU));
                try (Buffer<int[]> elsewhere = GPU.ints(expected.length)) {
                    assertThrows(IllegalArgumentException.class, () -> here.copyTo(elsewhere));
                }
            }
        }
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
