package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.gpu.host.OtherJava;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What killed processes leave goes, what living ones write stays; and a replaced file keeps its permissions. */
class UnfinishedFilesTest {
    @TempDir
    Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    /** Begins a file and is killed before it is finished. */
    static final class IsKilled {
        public static void main(String[] args) throws Exception {
            System.out.println(AtomicFile.named(Path.of(args[0])).path());
            System.out.flush();
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    private Path leftByAKilledProcess() throws Exception {
        Process process = OtherJava.start(List.of(), IsKilled.class, folder.resolve("a").toString());
        Path left = Path.of(process.inputReader(StandardCharsets.UTF_8).readLine());
        process.destroyForcibly().waitFor();
        assertTrue(Files.exists(left));
        return left;
    }

    @Test
    void theNextWriterRemovesWhatAKilledOneLeft() throws Exception {
        leftByAKilledProcess();
        Files.writeString(folder.resolve("a"), "old");
        try (AtomicFile other = AtomicFile.named(folder.resolve("b"))) {
            assertEquals(2, names().size(), names().toString());
            other.commit();
        }
        assertEquals(List.of("a", "b"), names());
    }

    @Test
    void whatALivingProcessWritesStaysHoweverOldItIs() throws IOException {
        try (AtomicFile mine = AtomicFile.named(folder.resolve("a"))) {
            Files.setLastModifiedTime(mine.path(), FileTime.from(Instant.EPOCH));
            UnfinishedFiles.removeFrom(folder, Duration.ZERO);
            assertTrue(Files.exists(mine.path()));
            mine.commit();
        }
        assertEquals(List.of("a"), names());
    }

    @Test
    void anotherProcessOfTheSameNumberIsNotTheWriter() throws IOException {
        String[] parts = UnfinishedFiles.newName("a").split("-", 6);
        assumeTrue(!parts[3].equals("0"), "processes have no start times here");
        parts[3] = Long.toString(Long.parseLong(parts[3]) - 1);
        Files.createFile(folder.resolve(String.join("-", parts)));
        UnfinishedFiles.removeFrom(folder, Duration.ofDays(1));
        assertEquals(List.of(), names());
    }

    @Test
    void ofOtherMachinesOnlyTheAgeCounts() throws IOException {
        String[] parts = UnfinishedFiles.newName("a").split("-", 6);
        parts[1] = "0123456789abcdef";
        Path elsewhere = Files.createFile(folder.resolve(String.join("-", parts)));
        UnfinishedFiles.removeFrom(folder, Duration.ofDays(1));
        assertTrue(Files.exists(elsewhere));
        Files.setLastModifiedTime(elsewhere, FileTime.from(Instant.now().minus(Duration.ofHours(25))));
        UnfinishedFiles.removeFrom(folder, Duration.ofDays(1));
        assertEquals(List.of(), names());
        UnfinishedFiles.removeFrom(folder.resolve("none"), Duration.ZERO);
    }

    @Test
    void longNamesCanBeWritten() throws IOException {
        Path file = folder.resolve("n".repeat(250));
        AtomicFile.write(file, new byte[3]);
        assertEquals(3, Files.size(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-r--r--", "rw-rw-rw-", "rwxr-x---"})
    void aReplacedFileKeepsItsPermissions(String permissions) throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        try (AtomicFile unfinished = AtomicFile.named(file)) {
            assertEquals(permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(unfinished.path())));
            Files.writeString(unfinished.path(), "new");
            unfinished.commit();
        }
        assertEquals(permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals("new", Files.readString(file));
    }

    @Test
    void theSuperuserGivesAReplacedFileBackToItsOwner() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only the superuser can");
        Path file = Files.writeString(folder.resolve("a"), "old");
        Files.setAttribute(file, "unix:uid", 12345);
        Files.setAttribute(file, "unix:gid", 23456);
        try (AtomicFile unfinished = AtomicFile.named(file)) {
            unfinished.commit();
        }
        assertEquals(12345, Files.getAttribute(file, "unix:uid"));
        assertEquals(23456, Files.getAttribute(file, "unix:gid"));
    }
}
