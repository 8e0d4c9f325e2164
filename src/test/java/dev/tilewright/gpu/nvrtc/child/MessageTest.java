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
class MessageTest {
    private static byte[] bytes(Message message) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Message.write(out, message);
        return out.toByteArray();
    }

    private static Message read(byte[] bytes) throws IOException {
        return Message.read(new ByteArrayInputStream(bytes));
    }

    @Test
    void everyMessageComesThrough() throws IOException {
        for (Message message : List.of(new Message.Open("/ä/libnvrtc.so"),
                new Message.Ready(new NvrtcVersion(13, 3), List.of(75, 90)),
                new Message.Compile("source\n" + "x".repeat(100_000), "k.cu", List.of("--a", "")),
                new Message.Failed(true, "no \uD83D\uDE00"), new Message.Failed(false, ""))) {
            assertEquals(message, read(bytes(message)));
        }
        Compiler.Outcome outcome =
                new Compiler.Outcome(6, "NVRTC_ERROR_COMPILATION", "k.cu(1): error", new byte[] {1, -1}, "ptx");
        Message.Done done = (Message.Done) read(bytes(new Message.Done(outcome)));
        assertArrayEquals(outcome.cubin(), done.outcome().cubin());
        assertEquals(List.of(6, "NVRTC_ERROR_COMPILATION", "k.cu(1): error", "ptx"), List.of(done.outcome().result(),
                done.outcome().reason(), done.outcome().log(), done.outcome().ptx()));
    }

    @Test
    void whatIsCutShortOrNoMessageIsAnError() throws IOException {
        byte[] good = bytes(new Message.Open("file"));
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(EOFException.class, () -> read(cut));
        }
        assertThrows(StreamCorruptedException.class, () -> read("a line of somebody else".getBytes(StandardCharsets.UTF_8)));
        good[8] = 77;
        assertThrows(StreamCorruptedException.class, () -> read(good));
    }
}
