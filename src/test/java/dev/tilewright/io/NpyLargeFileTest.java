package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Arrays beyond 2 GiB, where an {@code int} no longer counts the bytes. The file that is read is sparse: it takes no
 * disk.
 */
class NpyLargeFileTest {

    private static final long ROWS = 3L << 20;
    private static final long BYTES = ROWS * 1024;

    @TempDir
    Path folder;

    @Test
    void isReadToItsLastByte() throws IOException {
        Path file = folder.resolve("x.npy");
        byte[] header = RawNpy.file(RawNpy.dict("<f4", "(" + ROWS + ", 256)"), 0);
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.write(header);
            makeSparse(out, header.length + BYTES);
            out.seek(header.length + BYTES - 4);
            out.write(new byte[] {0, 0, (byte) 0x80, 0x3f});
        }
        try (Arena arena = Arena.ofConfined()) {
            Npy array = NpyReader.open(file, arena);
            assertEquals(List.of(ROWS, 256L), array.shape());
            assertEquals(BYTES, array.data().byteSize());
            assertEquals(0f, array.data().get(ValueLayout.JAVA_FLOAT, BYTES - 8));
            assertEquals(1f, array.data().get(ValueLayout.JAVA_FLOAT, BYTES - 4));
        }
    }

    @Test
    void isWrittenToItsLastByte() throws IOException {
        assumeTrue(!Files.getFileStore(folder).type().equals("tmpfs"), "the disk is memory");
        long usable = Files.getFileStore(folder).getUsableSpace();
        assumeTrue(usable > BYTES + 4096, "the file system has " + usable + " bytes left, and " + BYTES + " are asked");
        Path file = folder.resolve("x.npy");
        try (NpyWriter writer = NpyWriter.create(file, ElementType.U8, List.of(BYTES))) {
            writer.data().set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
            writer.commit();
        }
        assertEquals(BYTES + 128, Files.size(file));
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(7, NpyReader.open(file, arena).data().get(ValueLayout.JAVA_BYTE, BYTES - 1));
        }
    }

    private static void makeSparse(RandomAccessFile out, long size) {
        try {
            out.setLength(size);
        } catch (IOException e) {
            abort("the file system does not take a sparse file of " + size + " bytes: " + e.getMessage());
        }
    }
}
