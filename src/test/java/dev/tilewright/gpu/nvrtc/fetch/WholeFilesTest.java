package dev.tilewright.gpu.nvrtc.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is read once while it stays as it is, and again after any change, whatever its size and date say. */
class WholeFilesTest {
    private static final byte[] CONTENT = RemoteZipTest.content(5_000, 1);
    private static final PinnedFile PINNED =
            new PinnedFile("a/b.so", CONTENT.length, DigestUtils.sha256Hex(CONTENT));

    private Instant now = Instant.now();
    private final AtomicInteger reads = new AtomicInteger();
    private final WholeFiles whole = new WholeFiles((file, place) -> {
        reads.incrementAndGet();
        return file.isAt(place);
    }, () -> now);
    @TempDir
    Path folder;
    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.write(folder.resolve("b.so"), CONTENT);
    }

    /** Not at once: what is a moment old may change unseen. */
    private void remembered() {
        for (int i = 1; i <= 3; i++) {
            assertTrue(whole.isAt(PINNED, file));
            assertEquals(i, reads.get());
        }
        now = now.plusSeconds(3_600);
        for (int i = 0; i < 3; i++) {
            assertTrue(whole.isAt(PINNED, file));
            assertEquals(4, reads.get());
        }
    }

    @Test
    void aByteThatChangesIsSeenThoughSizeAndDateStay() throws Exception {
        remembered();
        FileTime date = Files.getLastModifiedTime(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {(byte) ~CONTENT[7]}), 7);
        }
        Files.setLastModifiedTime(file, date);
        assertFalse(whole.isAt(PINNED, file));
    }

    @Test
    void anotherFileInItsPlaceIsSeen() throws Exception {
        remembered();
        Path other = Files.write(folder.resolve("c.so"), RemoteZipTest.content(5_000, 2));
        Files.setLastModifiedTime(other, Files.getLastModifiedTime(file));
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertFalse(whole.isAt(PINNED, file));
        Files.delete(file);
        assertFalse(whole.isAt(PINNED, file));
    }
}
