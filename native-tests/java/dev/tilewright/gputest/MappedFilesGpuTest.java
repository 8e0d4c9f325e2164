package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies between a GPU and mapped files, also of one that is cut short in the midst of it. */
@Tag("gpu")
class MappedFilesGpuTest {
    /** More than two pieces, and not whole ones: bytes. */
    private static final long BYTES = (70L << 20) + 13;

    @TempDir
    Path folder;

    private MemorySegment map(String name, FileChannel.MapMode mode, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(folder.resolve(name), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(mode, 0, BYTES, arena);
        }
    }

    @Test
    void everyByteThereAndBack() throws IOException {
        Gpu gpu = TestGpu.atLeast(Target.SM_80);
        try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = gpu.bytes(BYTES)) {
            MemorySegment from = map("from", FileChannel.MapMode.READ_WRITE, arena);
            for (long at = 0; at + 8 <= BYTES; at += 8) {
                from.set(ValueLayout.JAVA_LONG_UNALIGNED, at, at * 0x9E3779B97F4A7C15L);
            }
            from.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 77);
            MemorySegment to = map("to", FileChannel.MapMode.READ_WRITE, arena);
            buffer.upload(from.asReadOnly());
            buffer.download(to);
            assertEquals(-1, from.mismatch(to));
            MemorySegment memory = arena.allocate(BYTES);
            buffer.download(memory);
            assertEquals(-1, from.mismatch(memory));
        }
    }

    @Test
    void aFileThatWasCutShortIsAnErrorAndTheDriverGoesOn() throws IOException {
        Gpu gpu = TestGpu.atLeast(Target.SM_80);
        try (Arena arena = Arena.ofShared(); Buffer<byte[]> buffer = gpu.bytes(BYTES)) {
            MemorySegment file = map("x", FileChannel.MapMode.READ_WRITE, arena);
            try (FileChannel channel = FileChannel.open(folder.resolve("x"), StandardOpenOption.WRITE)) {
                channel.truncate(40 << 20);
            }
            assertThrows(InternalError.class, () -> buffer.upload(file));
            assertThrows(InternalError.class, () -> buffer.download(file));
        }
        everyByteThereAndBack();
    }
}
