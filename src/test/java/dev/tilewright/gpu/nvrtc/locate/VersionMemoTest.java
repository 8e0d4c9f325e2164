package dev.tilewright.gpu.nvrtc.locate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A library is asked for its version once, and again whenever anything about its file has changed. */
class VersionMemoTest {

    @TempDir
    Path folder;

    private Path memos;
    private Path library;
    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void library() throws IOException {
        memos = folder.resolve("memos");
        library = Files.write(folder.resolve("libnvrtc.so.12"), new byte[100]);
    }

    private NvrtcVersion version() {
        return new VersionMemo(memos, file -> new NvrtcVersion(12, asked.incrementAndGet())).apply(library);
    }

    private Path memo() throws IOException {
        try (Stream<Path> files = Files.list(memos)) {
            List<Path> all = files.toList();
            assertEquals(1, all.size());
            return all.getFirst();
        }
    }

    @Test
    void anUnchangedLibraryIsAskedOnce() {
        assertEquals(new NvrtcVersion(12, 1), version());
        assertEquals(new NvrtcVersion(12, 1), version());
        assertEquals(1, asked.get());
    }

    @Test
    void aChangedLibraryIsAskedAgain() throws IOException {
        version();
        FileTime time = Files.getLastModifiedTime(library);
        Files.write(library, new byte[101]);
        Files.setLastModifiedTime(library, time);
        assertEquals(new NvrtcVersion(12, 2), version());
        Files.setLastModifiedTime(library, FileTime.fromMillis(1_000));
        assertEquals(new NvrtcVersion(12, 3), version());
        assertEquals(new NvrtcVersion(12, 3), version());
        memo();
    }

    @Test
    void aDamagedMemoIsAskedAgainAndReplaced() throws IOException {
        version();
        for (String damage : List.of("", "rubbish\n", Files.readString(memo()).replace("12.1", "twelve"))) {
            Files.writeString(memo(), damage);
            asked.set(6);
            assertEquals(new NvrtcVersion(12, 7), version());
            assertEquals(new NvrtcVersion(12, 7), version());
        }
    }

    @Test
    void aFolderThatCannotBeMadeIsNoFailure() throws IOException {
        Files.write(memos, new byte[0]);
        assertEquals(new NvrtcVersion(12, 1), version());
        assertEquals(new NvrtcVersion(12, 2), version());
    }

    @Test
    void aLibraryThatDoesNotLoadIsNotRemembered() throws IOException {
        VersionMemo memo = new VersionMemo(memos, file -> {
            throw new MissingRequirementException("it does not load");
        });
        assertThrows(MissingRequirementException.class, () -> memo.apply(library));
        assertEquals(new NvrtcVersion(12, 1), version());
    }
}
