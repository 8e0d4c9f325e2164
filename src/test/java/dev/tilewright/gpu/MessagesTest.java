package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.staging.HostMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What memory and streams say when they refuse something. */
class MessagesTest {
    private final Gpu gpu = Gpu.emulated();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        gpu.close();
    }

    @Test
    void nothingGoesIntoAStreamThatIsClosedNotEvenNothing() {
        Stream stream = gpu.stream();
        Buffer<byte[]> none = gpu.bytes(0);
        MemorySegment host = MemorySegment.ofArray(new byte[0]);
        stream.fill(none, (byte) 0);
        stream.upload(host, none);
        stream.download(none, host);
        stream.copy(none, gpu.bytes(1));
        stream.close();
        for (Executable call : List.<Executable>of(() -> stream.fill(none, (byte) 0), () -> stream.upload(host, none),
                () -> stream.download(none, host), () -> stream.copy(none, gpu.bytes(1)))) {
            assertEquals("stream 1 is closed", assertThrows(IllegalStateException.class, call).getMessage());
        }
        none.close();
        for (Executable call : List.<Executable>of(() -> none.fill((byte) 0), () -> none.upload(host),
                () -> none.download(host), () -> none.copyTo(gpu.bytes(1)))) {
            assertEquals("the buffer of 0 bytes is closed", assertThrows(IllegalStateException.class, call)
                    .getMessage());
        }
    }

    @Test
    void whereTheHostIsShortOfMemoryItIsTheHost() throws IOException {
        CudaException e = assertThrows(CudaException.class, () -> gpu.pinned(1L << 50));
        assertTrue(e.getMessage().startsWith("cuMemHostAlloc of 1125899906842624 bytes failed: "), e::getMessage);
        assertTrue(e.getMessage().contains("it is the host"), e::getMessage);
        HostMemory.now().ifPresent(memory -> assertTrue(
                e.getMessage().contains(" of its " + memory.total() + " bytes available"), e::getMessage));
        Path meminfo = folder.resolve("meminfo");
        assertEquals(Optional.empty(), HostMemory.of(meminfo));
        Files.writeString(meminfo, "MemTotal:       2048 kB\nMemFree:   1 kB\nMemAvailable:    1024 kB\n");
        assertEquals(Optional.of(new HostMemory(1 << 20, 2 << 20)), HostMemory.of(meminfo));
        Files.writeString(meminfo, "MemTotal:       2048 kB\n");
        assertEquals(Optional.empty(), HostMemory.of(meminfo));
        Files.writeString(meminfo, "MemTotal: many\nMemAvailable: 5 kB\n");
        assertEquals(Optional.empty(), HostMemory.of(meminfo));
    }

    @Test
    void aCharBufferNeedsMemory() {
        Buffer<short[]> x = gpu.shorts(3);
        String text = assertThrows(IllegalArgumentException.class, () -> x.upload(CharBuffer.wrap("abc"))).getMessage();
        assertEquals("this CharBuffer reads a String or another CharSequence, which has no memory to copy from or to: "
                + "take a"
                + " buffer over an array, such as CharBuffer.wrap(text.toCharArray()), or a direct one", text);
        x.upload(CharBuffer.wrap("abc".toCharArray()));
        assertArrayEquals(new short[] {'a', 'b', 'c'}, x.download());
        CharBuffer direct = ByteBuffer.allocateDirect(6).order(ByteOrder.LITTLE_ENDIAN).asCharBuffer();
        x.download(direct);
        assertEquals("abc", direct.toString());
    }
}
