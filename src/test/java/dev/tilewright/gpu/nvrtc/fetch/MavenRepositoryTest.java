package dev.tilewright.gpu.nvrtc.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.Thorough;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Mirrors that lie, stall, refuse or are no mirrors: one sentence each, without a password, and nothing is left behind.
 */
class MavenRepositoryTest {
    private static final byte[] CONTENT = RemoteZipTest.content(3_000, 1);
    private static final byte[] JAR = RemoteZipTest.zip(Map.of("in/lib.so", CONTENT), true, null);
    private static final MavenRepository.Order ORDER = new MavenRepository.Order("NVRTC 0.1", "a/b.jar",
            List.of(new PinnedFile("in/lib.so", CONTENT.length, DigestUtils.sha256Hex(CONTENT))), 7);

    @TempDir
    Path folder;
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Progress progress = (what, done, total) -> {
        if (told.isEmpty() || !told.getLast().equals(what)) {
            told.add(what);
        }
    };

    /** A server that answers each request, a head with its lines, by what a function makes of it. */
    private static final class Server implements AutoCloseable {
        final List<String> requests = new CopyOnWriteArrayList<>();
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        /** @param answers the whole answer; null for none */
        Server(Function<Integer, byte[]> answers) throws IOException {
            Thread.ofVirtual().start(() -> {
                List<Socket> silent = new ArrayList<>();
                try {
                    for (int i = 0; ; i++) {
                        Socket client = socket.accept();
                        StringBuilder head = new StringBuilder();
                        while (!head.toString().endsWith("\r\n\r\n")) {
                            head.append((char) client.getInputStream().read());
                        }
                        requests.add(head.toString());
                        byte[] answer = answers.apply(i);
                        if (answer == null) {
                            silent.add(client);
                        } else {
                            client.getOutputStream().write(answer);
                            client.close();
                        }
                    }
                } catch (IOException e) {
                    // Closed.
                }
            });
        }

        String address(String user) {
            return "http://" + user + "127.0.0.1:" + socket.getLocalPort() + "/maven2";
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static byte[] answer(String head, byte[] body) {
        byte[] start = ("HTTP/1.1 " + head.replace("|", "\r\n") + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(start, start.length + body.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
    }

    private static byte[] whole(byte[] body) {
        return answer("200 OK|Content-Length: " + body.length, body);
    }

    @AfterEach
    void patience() {
        HttpRanges.readMillis = 20_000;
    }

    private void fetch(String base) {
        new MavenRepository(base, 1).fetch(ORDER, folder, progress);
    }

    private void assertFetched() throws IOException {
        assertArrayEquals(CONTENT, Files.readAllBytes(folder.resolve("lib.so")));
    }

    /** One sentence with nothing of Java in it, and an empty folder. */
    private String failure(String base) throws IOException {
        String message = assertThrows(MissingRequirementException.class, () -> fetch(base)).getMessage();
        assertFalse(message.contains("\n") || message.contains("Exception") || message.contains("java."), message);
        assertTrue(message.startsWith("the embedded NVRTC 0.1 cannot be fetched from "), message);
        try (var files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
        return message;
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 429, 408})
    void aServersOwnTroubleIsTriedAgain(int status) throws IOException {
        try (Server server = new Server(i -> i < 2 ? answer(status + " Trouble|Content-Length: 0", new byte[0])
                : whole(JAR))) {
            fetch(server.address(""));
            assertFetched();
            assertEquals(
                    List.of("fetching NVRTC 0.1", "fetching NVRTC 0.1, try 2 of 3 (the server answers with HTTP status "
                    + status + ")", "fetching NVRTC 0.1, try 3 of 3 (the server answers with HTTP status " + status
                    + ")"), told);
        }
        Files.delete(folder.resolve("lib.so"));
        try (Server server = new Server(_ -> answer(status + " Trouble|Content-Length: 0", new byte[0]))) {
            assertTrue(failure(server.address("")).contains("HTTP status " + status + ", tried 3 times)"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"404; it does not have the file", "401; it asks for another user or password",
        "403; it asks for another user or password"})
    void aRefusalIsNotTriedAgain(int status, String words) throws IOException {
        try (Server server = new Server(_ -> answer(status + " No|Content-Length: 0", new byte[0]))) {
            assertTrue(failure(server.address("")).contains("HTTP status " + status + ": " + words + ")"));
            assertEquals(1, server.requests.size());
        }
    }

    @Test
    void aServerThatSaysNothingIsGivenUpAfterItsTime() throws IOException {
        HttpRanges.readMillis = 1_000;
        try (Server server = new Server(_ -> null)) {
            assertTrue(failure(server.address("")).contains("(no answer for 1 s, tried 3 times)"));
            assertEquals("fetching NVRTC 0.1, try 2 of 3 (no answer for 1 s)", told.get(1));
        }
    }

    @Test
    void aServerThatStopsInTheMiddleIsTriedAgain() throws IOException {
        byte[] half = answer("200 OK|Content-Length: " + JAR.length, Arrays.copyOf(JAR, JAR.length / 2));
        // The first request of each try asks for one byte.
        try (Server server = new Server(i -> i < 2 ? half : whole(JAR))) {
            fetch(server.address(""));
            assertFetched();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "200 OK|Content-Length: 99999999999999999999", "200 OK|Content-Length: -5", "200 OK|Content-Length: x",
        "200 OK|Content-Length: 3", "200 OK|Content-Length: 0", "200 OK|Transfer-Encoding: chunked",
        "206 Partial Content|Content-Range: bytes 0-0/99999999999999999999|Content-Length: 1",
        "206 Partial Content|Content-Range: bytes 0-0/999999999999999999|Content-Length: 1",
        "206 Partial Content|Content-Range: bytes 0-0/1000000000000|Content-Length: 1",
        "206 Partial Content|Content-Range: bytes 0-0/0|Content-Length: 1",
        "206 Partial Content|Content-Range: bytes 0-0/1|Content-Length: 1",
        "206 Partial Content|Content-Range: bytes 0-0/22|Content-Length: 1",
        "206 Partial Content|Content-Range: bytes 5-1/-1|Content-Length: 1",
        "206 Partial Content|Content-Length: 1", "200", "HELLO", "99999 What",
        "301 Moved|Location: ftp://u:secret@h/x|Content-Length: 0"})
    void aServerThatLiesIsOneSentence(String head) throws IOException {
        try (Server server = new Server(_ -> answer(head, new byte[] {'P'}))) {
            String message = failure(server.address("me:secret@"));
            assertFalse(message.contains("secret") || message.contains("me:"), message);
        }
    }

    @Test
    void aPasswordIsSentAndNeverShown() throws IOException {
        try (Server server = new Server(_ -> whole(JAR))) {
            fetch(server.address("me:secret@"));
            assertFetched();
            assertTrue(server.requests.getFirst().contains("Authorization: Basic "
                    + Base64.getEncoder().encodeToString("me:secret".getBytes(StandardCharsets.UTF_8))));
        }
        for (String address : List.of("https://me:secret@[no host/", "https://me:se cret@host/x",
                "http://me:se@cret@exa mple.org/x", "ftp://me:secret@host/x",
                "http:me:secret@host", "file://me:secret@host/x", "http://me:sec/ret@host/x%")) {
            String message = assertThrows(RuntimeException.class, () -> fetch(address)).getMessage();
            assertFalse(message.contains("cret") || message.contains("me:"), message);
        }
        assertEquals("https://***@example.org/maven", new MavenRepository("https://me:secret@example.org/maven", 0)
                .shown());
        assertEquals("https://example.org/maven", new MavenRepository("https://example.org/maven", 0).shown());
        assertEquals("/a/folder@home", new MavenRepository("/a/folder@home", 0).shown());
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:", "file:relative", "file://host/share", "ftp://host/x", "http:", "http://",
            "https:nothing",
        "http:///x", "http://a b/", "jar:file:/x!/", "file:///a%00b"})
    void whatIsNoAddressIsABadRequest(String base) {
        assertEquals("the Maven repository '" + base + "' is no address and no folder",
                assertThrows(BadRequestException.class, () -> fetch(base)).getMessage());
    }

    @Test
    void foldersAndFilesAsMirrors() throws IOException {
        Path mirror = Files.createDirectories(folder.resolve("mirror/a"));
        Files.write(mirror.resolve("b.jar"), JAR);
        for (String base : List.of(folder.resolve("mirror").toString(), folder.resolve("mirror").toUri().toString(),
                "file:" + folder.resolve("mirror"))) {
            fetch(base);
            assertFetched();
            Files.delete(folder.resolve("lib.so"));
        }
        Files.delete(mirror.resolve("b.jar"));
        Files.createDirectory(mirror.resolve("b.jar"));
        for (String base : List.of(folder.resolve("mirror").toString(), "file:/no/such/folder", "/no/such/folder")) {
            String message = assertThrows(MissingRequirementException.class, () -> fetch(base)).getMessage();
            assertFalse(message.contains("Exception") || message.contains("java."), message);
        }
    }

    @Test
    void damagedJarsAreOneSentenceOrTheFiles() throws IOException {
        Random random = new Random(1);
        Path mirror = Files.createDirectories(folder.resolve("mirror/a"));
        Path target = Files.createDirectory(folder.resolve("target"));
        for (int i = 0; i < 400; i++) {
            byte[] jar = JAR.clone();
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                // Half of them in the directory at the end.
                int at = random.nextBoolean() ? random.nextInt(jar.length) : jar.length - 1 - random.nextInt(90);
                jar[at] = (byte) random.nextInt(256);
            }
            jar = i % 8 == 0 ? Arrays.copyOf(jar, random.nextInt(jar.length)) : jar;
            if (!Thorough.takes(i, 5)) {
                continue;
            }
            Files.write(mirror.resolve("b.jar"), jar);
            try {
                new MavenRepository(folder.resolve("mirror").toString(), 0).fetch(ORDER, target, Progress.NONE);
                assertArrayEquals(CONTENT, Files.readAllBytes(target.resolve("lib.so")));
                Files.delete(target.resolve("lib.so"));
            } catch (MissingRequirementException e) {
                assertFalse(e.getMessage().contains("Exception") || e.getMessage().contains("java."), e.getMessage());
            }
            try (var files = Files.list(target)) {
                assertEquals(List.of(), files.toList());
            }
        }
    }

    @Test
    void aFileThatGrowsBeyondItsSizeIsGivenUp() throws IOException {
        Path mirror = Files.createDirectories(folder.resolve("mirror/a"));
        Files.write(mirror.resolve("b.jar"), RemoteZipTest.zip(Map.of("in/lib.so", new byte[50_000_000]), true, null));
        String message = assertThrows(MissingRequirementException.class,
                () -> fetch(folder.resolve("mirror").toString())).getMessage();
        assertTrue(message.contains("(lib.so has more than its 3000 bytes)"), message);
    }

    @Test
    void aFolderThatCannotBeWrittenIsNotTheMirrorsFault() {
        Path mirror = folder.resolve("mirror/a");
        assertThrows(UncheckedIOException.class, () -> {
            Files.createDirectories(mirror);
            Files.write(mirror.resolve("b.jar"), JAR);
            new MavenRepository(folder.resolve("mirror").toString(), 0)
                    .fetch(ORDER, folder.resolve("none"), Progress.NONE);
        });
    }
}
