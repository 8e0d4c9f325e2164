package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a file is written wholly or not at all, and what is said when it cannot be. */
class NpyWriterTest {

    private static final List<Long> SHAPE = List.of(3L);

    @TempDir
    Path folder;

    @Test
    void nothingIsThereBeforeTheCommit() throws IOException {
        Path file = folder.resolve("x.npy");
        try (NpyWriter writer = NpyWriter.create(file, ElementType.F32, SHAPE)) {
            writer.data().setAtIndex(ValueLayout.JAVA_FLOAT, 2, 1.5f);
            assertFalse(Files.exists(file));
            writer.commit();
            assertEquals(List.of("x.npy"), names());
        }
        assertEquals(List.of("x.npy"), names());
        try (Arena arena = Arena.ofConfined()) {
            assertArrayEquals(new float[] {0, 0, 1.5f},
                    NpyReader.open(file, arena).data().toArray(ValueLayout.JAVA_FLOAT));
        }
    }

    @Test
    void withoutACommitNothingIsLeftAndAnOlderFileStays() throws IOException {
        Path file = Files.writeString(folder.resolve("x.npy"), "older");
        try (NpyWriter writer = NpyWriter.create(file, ElementType.F32, SHAPE)) {
            assertEquals(2, names().size());
            writer.data().fill((byte) 1);
        }
        assertEquals(List.of("x.npy"), names());
        assertEquals("older", Files.readString(file));
    }

    @Test
    void anArrayMayReplaceTheFileItIsReadFrom() {
        Path file = folder.resolve("x.npy");
        NpyWriter.write(file, ElementType.U8, SHAPE, MemorySegment.ofArray(new byte[] {1, 2, 3}));
        try (Arena arena = Arena.ofConfined()) {
            Npy before = NpyReader.open(file, arena);
            NpyWriter.write(file, ElementType.U8, List.of(6L), before.data(), before.data());
            assertArrayEquals(new byte[] {1, 2, 3}, before.data().toArray(ValueLayout.JAVA_BYTE));
            assertArrayEquals(new byte[] {1, 2, 3, 1, 2, 3},
                    NpyReader.open(file, arena).data().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void severalThreadsMayFillIt() {
        Path file = folder.resolve("x.npy");
        try (NpyWriter writer = NpyWriter.create(file, ElementType.I32, List.of(1000L))) {
            MemorySegment data = writer.data();
            IntStream.range(0, 1000).parallel().forEach(i -> data.setAtIndex(ValueLayout.JAVA_INT, i, i));
            writer.commit();
        }
        try (Arena arena = Arena.ofConfined()) {
            assertArrayEquals(IntStream.range(0, 1000).toArray(),
                    NpyReader.open(file, arena).data().toArray(ValueLayout.JAVA_INT));
        }
    }

    @Test
    void aLinkIsFollowedRatherThanReplaced() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there")).resolve("x.npy");
        Path link = Files.createSymbolicLink(folder.resolve("link.npy"), Path.of("there", "x.npy"));
        for (int i = 0; i < 2; i++) {
            NpyWriter.write(link, ElementType.U8, SHAPE, MemorySegment.ofArray(new byte[3]));
            assertTrue(Files.isSymbolicLink(link));
            assertTrue(Files.isRegularFile(there));
        }
    }

    @Test
    void itIsCommittedOnce() {
        NpyWriter writer = NpyWriter.create(folder.resolve("x.npy"), ElementType.U8, SHAPE);
        writer.commit();
        var e = assertThrows(IllegalStateException.class, writer::commit);
        assertEquals(folder.resolve("x.npy") + " has been committed or closed before", e.getMessage());
        assertThrows(IllegalStateException.class, () -> writer.data().get(ValueLayout.JAVA_BYTE, 0));
        writer.close();
    }

    @Test
    void placesWhereNoFileCanBe() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        refused(file.resolve("x.npy"), "the folder " + file + " cannot be made: there is a file " + file + " already");
        refused(folder, "it is a folder");
        Path device = Path.of("/dev/null");
        assumeTrue(Files.exists(device), "there is no /dev/null");
        refused(device, "it is not a regular file");
        assertTrue(Files.exists(device));
    }

    @Test
    void aFileThatTheDiskCannotHold() throws IOException {
        long total = Files.getFileStore(folder).getTotalSpace();
        assumeTrue(total > 0, "the file system does not tell its size");
        Path file = folder.resolve("x.npy");
        var e = assertThrows(BadRequestException.class,
                () -> NpyWriter.create(file, ElementType.U8, List.of(total)));
        assertTrue(e.getMessage().matches("cannot write \\Q" + file + "\\E: it takes " + (total + 128)
                + " bytes, and its file system has \\d+ left"), e.getMessage());
        assertEquals(List.of(), names());
    }

    @Test
    void shapesThatCannotBe() {
        var e = assertThrows(BadRequestException.class,
                () -> NpyWriter.create(Path.of("x.npy"), ElementType.U8, List.of(2L, -1L)));
        assertEquals("cannot write an array to x.npy: its shape is (2, -1), and shape[1] must be at least 0, got -1",
                e.getMessage());
    }

    @Test
    void partsThatAreTooFew() throws IOException {
        var e = assertThrows(IllegalArgumentException.class, () -> NpyWriter.write(folder.resolve("x.npy"),
                ElementType.F32, SHAPE, MemorySegment.ofArray(new byte[11])));
        assertEquals("an array of shape (3,) of f32 has 12 bytes, got 11", e.getMessage());
        assertEquals(List.of(), names());
    }

    private static void refused(Path file, String reason) {
        var e = assertThrows(BadRequestException.class, () -> NpyWriter.create(file, ElementType.U8, SHAPE));
        assertEquals("cannot write " + file + ": " + reason, e.getMessage());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** The bytes of the array alone can be counted, those with a header cannot. */
    @Test
    void anArrayOfNearly2To63BytesIsRefused(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("large.npy");
        for (long elements : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 64, Long.MAX_VALUE - 1024}) {
            assertEquals("cannot write an array to " + file + ": its shape is (" + elements
                    + ",) of u8, which with a header is more"
                    + " bytes than a 64-bit size can count", assertThrows(BadRequestException.class,
                            () -> NpyWriter.create(file, ElementType.U8, List.of(elements))).getMessage());
        }
        try (var left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }
}
