package dev.tilewright.gpu.nvrtc.child;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is written is read, and nothing else is taken for a message. */
class CompilerMessageTest {
    private static byte[] bytes(CompilerMessage message) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CompilerMessage.write(out, message);
        return out.toByteArray();
    }

    private static CompilerMessage read(byte[] bytes) throws IOException {
        return CompilerMessage.read(new ByteArrayInputStream(bytes));
    }

    @Test
    void everyMessageComesThrough() throws IOException {
        for (CompilerMessage message : List.of(new CompilerMessage.Open("/ä/libnvrtc.so"),
                new CompilerMessage.Ready(new NvrtcVersion(13, 3), List.of(75, 90)),
                new CompilerMessage.Compile("source\n" + "x".repeat(100_000), "k.cu", List.of("--a", "")),
                new CompilerMessage.Failed(true, "no \uD83D\uDE00"), new CompilerMessage.Failed(false, ""))) {
            assertEquals(message, read(bytes(message)));
        }
        Compiler.Outcome outcome =
                new Compiler.Outcome(6, "NVRTC_ERROR_COMPILATION", "k.cu(1): error", new byte[] {1, -1}, "ptx");
        CompilerMessage.Done done = (CompilerMessage.Done) read(bytes(new CompilerMessage.Done(outcome)));
        assertArrayEquals(outcome.cubin(), done.outcome().cubin());
        assertEquals(List.of(6, "NVRTC_ERROR_COMPILATION", "k.cu(1): error", "ptx"), List.of(done.outcome().result(),
                done.outcome().reason(), done.outcome().log(), done.outcome().ptx()));
    }

    @Test
    void whatIsCutShortOrNoMessageIsAnError() throws IOException {
        byte[] good = bytes(new CompilerMessage.Open("file"));
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(EOFException.class, () -> read(cut));
        }
        assertThrows(StreamCorruptedException.class,
                () -> read("a line of somebody else".getBytes(StandardCharsets.UTF_8)));
        good[1] = 77;
        assertThrows(StreamCorruptedException.class, () -> read(good));
    }
}
