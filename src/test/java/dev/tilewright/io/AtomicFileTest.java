package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.host.OtherJava;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file appears whole or not at all, whatever becomes of its writer. */
class AtomicFileTest {
    @TempDir
    Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void theOldFileStaysUntilTheCommit() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "old");
        try (AtomicFile unfinished = AtomicFile.replacing(file)) {
            assertFalse(Files.exists(unfinished.path()));
            Files.writeString(unfinished.path(), "new");
            assertEquals(2, names().size());
            assertTrue(names().getFirst().startsWith(AtomicFile.UNFINISHED));
            assertEquals("old", Files.readString(file));
            unfinished.commit();
            assertEquals("new", Files.readString(file));
            assertEquals(file + " has been committed or closed before",
                    assertThrows(IllegalStateException.class, unfinished::commit).getMessage());
        }
        assertEquals(List.of("a"), names());
        assertEquals("new", Files.readString(file));
    }

    @Test
    void withoutACommitNothingIsLeft() throws IOException {
        AtomicFile unfinished = AtomicFile.replacing(folder.resolve("a"));
        Files.writeString(unfinished.path(), "new");
        unfinished.close();
        unfinished.close();
        assertEquals(List.of(), names());
        assertThrows(IllegalStateException.class, unfinished::commit);
        AtomicFile.replacing(folder.resolve("never written")).close();
        assertThrows(NoSuchFileException.class, () -> AtomicFile.write(folder.resolve("none/a"), new byte[1]));
        assertEquals(List.of(), names());
    }

    @Test
    void severalMayBeWrittenAtOnce() throws IOException {
        Path file = folder.resolve("a");
        try (AtomicFile first = AtomicFile.replacing(file); AtomicFile second = AtomicFile.replacing(file)) {
            Files.writeString(first.path(), "first");
            Files.writeString(second.path(), "second");
            second.commit();
            first.commit();
        }
        assertEquals("first", Files.readString(file));
        AtomicFile.write(file, "third".getBytes(StandardCharsets.UTF_8));
        assertEquals("third", Files.readString(file));
        assertEquals(List.of("a"), names());
    }

    @Test
    void aLinkIsReplacedOrFollowed() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there")).resolve("a");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("there", "a"));
        for (String text : List.of("to a file that is not there yet", "to one that is")) {
            try (AtomicFile unfinished = AtomicFile.named(link)) {
                Files.writeString(unfinished.path(), text);
                unfinished.commit();
            }
            assertTrue(Files.isSymbolicLink(link));
            assertEquals(text, Files.readString(there));
        }
        AtomicFile.write(link, new byte[0]);
        assertFalse(Files.isSymbolicLink(link));
        assertEquals("to one that is", Files.readString(there));
    }

    @Test
    void placesWhereNoFileCanBeAreRefused() {
        for (Path place : List.of(folder, Path.of("/dev/null"))) {
            String reason = place.equals(folder) ? "it is a folder" : "it is not a regular file";
            assertEquals(reason, assertThrows(IOException.class, () -> AtomicFile.requirePlace(place)).getMessage());
            assertEquals(reason, assertThrows(IOException.class, () -> AtomicFile.named(place)).getMessage());
        }
        assertEquals("no file can be made in /proc",
                assertThrows(IOException.class, () -> AtomicFile.requirePlace(Path.of("/proc/a"))).getMessage());
        assertDoesNotThrow(() -> AtomicFile.requirePlace(folder.resolve("a")));
        assertFalse(Files.exists(folder.resolve("a")), "what is tried is left behind");
    }

    @Test
    void foldersAreMade() throws IOException {
        Path file = folder.resolve("none/yet/a");
        assertDoesNotThrow(() -> AtomicFile.requirePlace(file));
        assertTrue(Files.isDirectory(file.getParent()));
        Path within = Files.writeString(folder.resolve("file"), "").resolve("a");
        assertEquals("the folder " + within.getParent() + " cannot be made: there is a file " + within.getParent()
                + " already", assertThrows(IOException.class, () -> AtomicFile.requirePlace(within)).getMessage());
    }

    /** Begins a file and ends the process without finishing it. */
    static final class Ends {
        public static void main(String[] args) throws IOException {
            Files.writeString(AtomicFile.replacing(Path.of(args[0])).path(), "half");
            System.out.println("written");
            System.exit(0);
        }
    }

    @Test
    void aProcessThatEndsLeavesNothing() throws Exception {
        Process process = OtherJava.start(List.of(), Ends.class, folder.resolve("a").toString());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(3, TimeUnit.MINUTES) && process.exitValue() == 0, output);
        assertTrue(output.contains("written"), output);
        assertEquals(List.of(), names());
    }
}
