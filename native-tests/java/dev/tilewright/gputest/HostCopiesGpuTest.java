package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.RegisteredMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies between host memory of all kinds and a GPU: every byte, from one thread and from many. */
@Tag("gpu")
class HostCopiesGpuTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int[] SIZES = {1, 4097, 65536, 65537, 300_001, MEBIBYTE, 5 * MEBIBYTE + 3, 70 * MEBIBYTE + 13};

    @TempDir
    Path folder;

    private static Gpu gpu() {
        return TestGpu.atLeast(Target.SM_80);
    }

    private static byte[] random(int bytes, long seed) {
        byte[] random = new byte[bytes];
        new SplittableRandom(seed).nextBytes(random);
        return random;
    }

    private MemorySegment map(String name, int bytes, FileChannel.MapMode mode, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(folder.resolve(name), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (mode == FileChannel.MapMode.READ_ONLY && channel.size() < bytes) {
                channel.write(ByteBuffer.wrap(random(bytes, 77)));
            }
            return channel.map(mode, 0, bytes, arena);
        }
    }

    private static void thereAndBack(Gpu gpu, Stream stream, MemorySegment from, MemorySegment to, long seed) {
        byte[] expected = random((int) from.byteSize(), seed);
        try (Buffer<byte[]> buffer = gpu.bytes(from.byteSize() + 5)) {
            Buffer<byte[]> part = buffer.slice(3, from.byteSize());
            from.copyFrom(MemorySegment.ofArray(expected));
            stream.upload(from, part);
            if (!gpu.isPageLocked(from)) {
                from.fill((byte) 0);
            }
            stream.download(part, to);
            if (gpu.isPageLocked(to)) {
                stream.synchronize();
            }
            assertEquals(-1, MemorySegment.ofArray(expected).mismatch(to));
        }
    }

    @Test
    void everyKindOfMemory() throws IOException {
        Gpu gpu = gpu();
        for (int bytes : SIZES) {
            try (Arena arena = Arena.ofConfined(); PinnedMemory pinned = gpu.pinned(bytes); Stream stream =
                    gpu.stream()) {
                List<MemorySegment> kinds = List.of(MemorySegment.ofArray(new byte[bytes]),
                        MemorySegment.ofArray(new double[bytes / 8 + 1]).asSlice(0, bytes), arena.allocate(bytes),
                        MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes)),
                        map("a" + bytes, bytes, FileChannel.MapMode.READ_WRITE, arena), pinned.segment());
                for (MemorySegment kind : kinds) {
                    thereAndBack(gpu, stream, kind, MemorySegment.ofArray(new byte[bytes]), bytes);
                    thereAndBack(gpu, gpu.defaultStream(), MemorySegment.ofArray(new byte[bytes]), kind, bytes);
                }
            }
        }
    }

    @Test
    void manyThreadsAtOnce() throws Exception {
        Gpu gpu = gpu();
        try (ExecutorService platform = Executors.newFixedThreadPool(24);
                ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < 48; i++) {
                int number = i;
                results.add((i % 2 == 0 ? platform : virtual).submit(() -> {
                    SplittableRandom random = new SplittableRandom(number);
                    try (Stream stream = gpu.stream()) {
                        for (int round = 0; round < 10; round++) {
                            int bytes = 1 + random.nextInt(round % 2 == 0 ? 8 * MEBIBYTE : 70_000);
                            thereAndBack(gpu, stream, MemorySegment.ofArray(new byte[bytes]),
                                    MemorySegment.ofArray(new byte[bytes]), number);
                        }
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void aKernelLongBeforeIsWaitedFor() {
        Gpu gpu = gpu();
        long bytes = 256L * MEBIBYTE;
        try (Buffer<byte[]> big = gpu.bytes(bytes); Buffer<byte[]> other = gpu.bytes(bytes); Stream stream =
                gpu.stream()) {
            byte[] expected = random(9 * MEBIBYTE, 3);
            for (int i = 0; i < 20; i++) {
                stream.fill(big, (byte) i);
                stream.copy(big, other);
            }
            stream.upload(MemorySegment.ofArray(expected), other);
            stream.copy(other.slice(0, expected.length), big);
            byte[] found = new byte[expected.length];
            stream.download(big, MemorySegment.ofArray(found));
            assertArrayEquals(expected, found);
        }
    }

    @Test
    void aFileThatWasCutShort() throws IOException {
        Gpu gpu = gpu();
        for (int bytes : new int[] {50_000, 3 * MEBIBYTE, 40 * MEBIBYTE}) {
            try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = gpu.bytes(bytes)) {
                MemorySegment file = map("x" + bytes, bytes, FileChannel.MapMode.READ_WRITE, arena);
                try (FileChannel channel = FileChannel.open(folder.resolve("x" + bytes), StandardOpenOption.WRITE)) {
                    channel.truncate(bytes / 2);
                }
                assertThrows(InternalError.class, () -> buffer.upload(file));
                assertThrows(InternalError.class, () -> buffer.download(file));
                // A view that does not know its file.
                IntBuffer view = file.asSlice(0, bytes / 4 * 4).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN)
                        .asIntBuffer();
                assertThrows(InternalError.class, () -> buffer.upload(view));
                assertThrows(InternalError.class, () -> buffer.download(view));
            }
        }
        try (Stream stream = gpu.stream()) {
            thereAndBack(gpu, stream, MemorySegment.ofArray(new byte[MEBIBYTE]),
                    MemorySegment.ofArray(new byte[MEBIBYTE]), 5);
        }
    }

    @Test
    void pinnedMemoryWaitsForItsCopies() {
        Gpu gpu = gpu();
        int bytes = 512 * MEBIBYTE;
        try (Buffer<byte[]> buffer = gpu.bytes(bytes); Stream stream = gpu.nonBlockingStream()) {
            buffer.fill((byte) 0);
            PinnedMemory pinned = gpu.pinned(bytes);
            MemorySegment segment = pinned.segment();
            segment.fill((byte) 7);
            // Long enough that they go on where this thread has to wait for a processor.
            for (int i = 0; i < 40; i++) {
                stream.upload(segment, buffer);
            }
            assertFalse(stream.isIdle());
            pinned.close();
            assertTrue(stream.isIdle());
            assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, () -> stream.upload(segment, buffer));
            assertEquals(7, buffer.slice(bytes - 1, 1).download()[0]);
        }
    }

    @Test
    void registeredMemory() throws IOException {
        Gpu gpu = gpu();
        int bytes = 9 * MEBIBYTE;
        try (Arena arena = Arena.ofShared(); Stream stream = gpu.stream()) {
            for (MemorySegment memory : List.of(arena.allocate(bytes, 4096), arena.allocate(bytes + 100, 64)
                    .asSlice(64, bytes))) {
                assertFalse(gpu.isPageLocked(memory));
                try (RegisteredMemory registered = gpu.register(memory)) {
                    assertTrue(gpu.isPageLocked(memory));
                    assertTrue(gpu.isPageLocked(memory.asSlice(5, 100)));
                    thereAndBack(gpu, stream, registered.segment(), registered.segment(), 4);
                    assertThrows(RuntimeException.class, () -> gpu.register(memory));
                }
                assertFalse(gpu.isPageLocked(memory));
                thereAndBack(gpu, stream, memory, memory, 5);
            }
        }
    }

    /** Whether a driver and a file system do it differs; what they refuse must be said, and nothing be half done. */
    @Test
    void registeredFiles() throws IOException {
        Gpu gpu = gpu();
        int bytes = 9 * MEBIBYTE;
        for (FileChannel.MapMode mode : List.of(FileChannel.MapMode.READ_ONLY, FileChannel.MapMode.READ_WRITE,
                FileChannel.MapMode.PRIVATE)) {
            try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = gpu.bytes(bytes)) {
                MemorySegment file = map("r" + mode, bytes, mode, arena);
                try (RegisteredMemory registered = gpu.register(file)) {
                    buffer.upload(registered.segment());
                    System.err.println("registered: a file mapped " + mode);
                } catch (RuntimeException e) {
                    System.err.println("not registered: a file mapped " + mode + ": " + e.getMessage());
                    assertTrue(e.getMessage().contains("page-lock it: copy it as it is"), e::getMessage);
                    buffer.upload(file);
                }
                assertEquals(-1, file.mismatch(MemorySegment.ofArray(buffer.download())));
            }
        }
    }

    @Test
    void memoryThatOtherCodeHasPageLocked() {
        Gpu gpu = gpu();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            gpu.inContext(() -> {
                assertEquals(0, LibCuda.get().cuMemHostAlloc(out, MEBIBYTE, 0));
                MemorySegment memory = MemorySegment.ofAddress(out.get(ValueLayout.JAVA_LONG, 0)).reinterpret(MEBIBYTE);
                assertTrue(gpu.isPageLocked(memory));
                assertTrue(gpu.isPageLocked(memory.asSlice(MEBIBYTE - 1)));
                assertFalse(gpu.isPageLocked(memory.reinterpret(MEBIBYTE + 1)));
                assertEquals(0, LibCuda.get().cuMemFreeHost(memory.address()));
            });
        }
    }

    @Test
    void betweenGpus() {
        Assumptions.assumeTrue(Gpu.list().size() > 1, "one GPU");
        try (Gpu one = Gpu.open(0); Gpu other = Gpu.open(1)) {
            System.err.println("GPU 0 reaches GPU 1: " + one.canAccess(other));
            int[] expected = new SplittableRandom(1).ints(20 * MEBIBYTE).toArray();
            try (Buffer<int[]> here = one.upload(expected); Buffer<int[]> there = other.ints(expected.length);
                    Buffer<int[]> again = one.allocate(ArrayType.INTS, expected.length)) {
                here.copyTo(there);
                again.copyFrom(there);
                assertArrayEquals(expected, there.download());
                assertArrayEquals(expected, again.download());
            }
        }
    }

    @Test
    void closingWhileThreadsCopy() throws Exception {
        gpu();
        for (int round = 0; round < 5; round++) {
            Gpu gpu = Gpu.open();
            try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
                List<Future<?>> results = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    results.add(threads.submit(() -> {
                        Buffer<byte[]> buffer = gpu.bytes(16L * MEBIBYTE);
                        byte[] array = new byte[16 * MEBIBYTE];
                        while (true) {
                            buffer.upload(array);
                            buffer.download(array);
                        }
                    }));
                }
                Thread.sleep(50);
                gpu.close();
                for (Future<?> result : results) {
                    Throwable thrown = assertThrows(ExecutionException.class,
                            () -> result.get(30, TimeUnit.SECONDS)).getCause();
                    assertTrue(thrown instanceof IllegalStateException && thrown.getMessage().contains("closed"),
                            thrown::toString);
                }
            }
        }
    }
}
