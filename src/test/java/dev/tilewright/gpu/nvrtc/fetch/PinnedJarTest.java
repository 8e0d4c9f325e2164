package dev.tilewright.gpu.nvrtc.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Taking pinned files from a jar: from a file, a server with ranges, one without; and jars that are not as published.
 */
class PinnedJarTest {

    private static final byte[] LIBRARY = RemoteZipTest.content(300_000, 1);
    private static final byte[] BUILTINS = RemoteZipTest.content(40_000, 2);
    private static final List<PinnedFile> FILES = List.of(pinned("in/the/jar/builtins.so", BUILTINS),
            pinned("lib.so", LIBRARY));

    @TempDir
    Path folder;

    private Path target;
    private final List<Long> done = new ArrayList<>();
    private long total;

    @BeforeEach
    void target() throws IOException {
        target = Files.createDirectories(folder.resolve("target"));
    }

    private static PinnedFile pinned(String entry, byte[] content) {
        return new PinnedFile(entry, content.length, DigestUtils.sha256Hex(content));
    }

    private static byte[] jar(byte[] library, byte[] builtins) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("before", RemoteZipTest.content(100_000, 3));
        files.put("lib.so", library);
        files.put("in/the/jar/builtins.so", builtins);
        files.put("after", RemoteZipTest.content(5_000_000, 4));
        return RemoteZipTest.zip(files, true, null);
    }

    private void unpack(URI jar) throws IOException {
        PinnedJar.unpack(jar, FILES, target, "fetching", (what, now, all) -> {
            assertEquals("fetching", what);
            done.add(now);
            total = all;
        });
    }

    private void assertUnpacked() throws IOException {
        assertArrayEquals(LIBRARY, Files.readAllBytes(target.resolve("lib.so")));
        assertArrayEquals(BUILTINS, Files.readAllBytes(target.resolve("builtins.so")));
        assertEquals(2, names());
        assertEquals(done.stream().sorted().toList(), done);
        assertTrue(done.getLast() <= total);
    }

    private long names() throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.count();
        }
    }

    @Test
    void fromAFile() throws IOException {
        unpack(Files.write(folder.resolve("a.jar"), jar(LIBRARY, BUILTINS)).toUri());
        assertUnpacked();
        assertEquals(total, done.getLast());
    }

    @Test
    void fromAServerWithRanges() throws IOException {
        try (FileServer server = new FileServer(true)) {
            byte[] jar = jar(LIBRARY, BUILTINS);
            server.files.put("/a.jar", jar);
            unpack(server.uri("/a.jar"));
            assertUnpacked();
            assertEquals(total, done.getLast());
            assertTrue(server.sent < jar.length / 3, "sent " + server.sent + " of " + jar.length);
        }
    }

    @Test
    void fromAServerWithoutRanges() throws IOException {
        try (FileServer server = new FileServer(false)) {
            server.files.put("/a.jar", jar(LIBRARY, BUILTINS));
            unpack(server.uri("/a.jar"));
            assertUnpacked();
        }
    }

    @Test
    void otherContentThanPublishedIsRefusedAndLeavesNothing() throws IOException {
        byte[] other = LIBRARY.clone();
        other[1234]++;
        URI jar = Files.write(folder.resolve("a.jar"), jar(other, BUILTINS)).toUri();
        IOException e = assertThrows(IOException.class, () -> unpack(jar));
        assertTrue(e.getMessage().matches("lib\\.so has SHA-256 [0-9a-f]{64}, and the published one " + FILES.get(1)
                .sha256()));
        assertEquals(0, names());
    }

    @Test
    void aMissingEntryIsNamedAndLeavesNothing() throws IOException {
        byte[] jar = RemoteZipTest.zip(Map.of("lib.so", LIBRARY), true, null);
        try (FileServer plain = new FileServer(false); FileServer ranges = new FileServer(true)) {
            plain.files.put("/a.jar", jar);
            ranges.files.put("/a.jar", jar);
            for (URI uri : List.of(Files.write(folder.resolve("a.jar"), jar).toUri(), plain.uri("/a.jar"),
                    ranges.uri("/a.jar"))) {
                assertEquals("the jar has no entry in/the/jar/builtins.so",
                        assertThrows(IOException.class, () -> unpack(uri)).getMessage());
                assertEquals(0, names());
            }
        }
    }

    @Test
    void aConnectionThatBreaksOffLeavesNothing() throws IOException {
        for (boolean ranges : new boolean[] {true, false}) {
            try (FileServer server = new FileServer(ranges)) {
                server.files.put("/a.jar", jar(LIBRARY, BUILTINS));
                server.breaks = 100;
                assertThrows(IOException.class, () -> unpack(server.uri("/a.jar")));
                assertEquals(0, names());
            }
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsSetApart() throws IOException {
        URI jar = Files.write(folder.resolve("a.jar"), jar(LIBRARY, BUILTINS)).toUri();
        Files.delete(target);
        assertThrows(UncheckedIOException.class, () -> unpack(jar));
    }
}
