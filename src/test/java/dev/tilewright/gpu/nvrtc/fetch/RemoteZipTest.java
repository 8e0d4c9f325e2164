package dev.tilewright.gpu.nvrtc.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;
import org.junit.jupiter.api.Test;

/** Zip files as java.util.zip writes them, read in parts, from memory and from a server; and damaged ones. */
class RemoteZipTest {

    /** Deflated entries come with a data descriptor behind them, stored ones without. */
    static byte[] zip(Map<String, byte[]> files, boolean deflated, String comment) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.setComment(comment);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                if (!deflated) {
                    CRC32 crc = new CRC32();
                    crc.update(file.getValue());
                    entry.setMethod(ZipEntry.STORED);
                    entry.setSize(file.getValue().length);
                    entry.setCrc(crc.getValue());
                }
                zip.putNextEntry(entry);
                zip.write(file.getValue());
                zip.closeEntry();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    /** Half noise, half zeros, so that it neither packs to nothing nor not at all. */
    static byte[] content(int length, long seed) {
        byte[] bytes = new byte[length];
        byte[] noise = new byte[length / 2];
        new Random(seed).nextBytes(noise);
        System.arraycopy(noise, 0, bytes, 0, noise.length);
        return bytes;
    }

    private static SeekableByteChannel inMemory(byte[] file) {
        return new SeekableInMemoryByteChannel(file);
    }

    private static byte[] read(RemoteZip zip, String name) throws IOException {
        try (InputStream in = zip.open(zip.entry(name).orElseThrow())) {
            return in.readAllBytes();
        }
    }

    @Property(tries = 200)
    void readsWhatWasWritten(@ForAll @IntRange(max = 20) int count, @ForAll @IntRange(max = 5_000) int length,
            @ForAll boolean deflated, @ForAll @IntRange(max = 70) int commentKilobytes) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            files.put("folder/name-\u00e4-" + i, content(length * i / 7, i));
        }
        String comment = "x".repeat(Math.min(0xFFFF, commentKilobytes * 1000));
        RemoteZip zip = new RemoteZip(inMemory(zip(files, deflated, comment)));
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            assertArrayEquals(file.getValue(), read(zip, file.getKey()));
            assertEquals(file.getValue().length, zip.entry(file.getKey()).orElseThrow().getSize());
        }
        assertEquals(Optional.empty(), zip.entry("no such entry"));
    }

    @Property(tries = 500)
    void aDamagedArchiveIsAnIoExceptionOrOtherContentAndNothingElse(@ForAll @IntRange(max = 2_000) int at,
            @ForAll byte value, @ForAll @IntRange(max = 2_000) int length) {
        byte[] archive = zip(Map.of("a", content(600, 1), "b", content(300, 2)), true, null);
        byte[] damaged = Arrays.copyOf(archive, Math.max(1, archive.length - Math.max(0, length - 1_000)));
        damaged[at % damaged.length] = value;
        try {
            RemoteZip zip = new RemoteZip(inMemory(damaged));
            if (zip.entry("a").isPresent()) {
                read(zip, "a");
            }
        } catch (IOException e) {
            assertTrue(e.getMessage() == null || !e.getMessage().isBlank());
        }
    }

    @Test
    void whatIsNoZipIsRefused() {
        for (int length : new int[] {1, 21, 22, 70_000}) {
            assertThrows(ZipException.class, () -> new RemoteZip(inMemory(new byte[length])));
        }
    }

    @Test
    void anotherMethodThanStoredAndDeflatedIsRefused() throws IOException {
        byte[] archive = zip(Map.of("a", content(100, 1)), true, null);
        for (int at = 0; at < archive.length - 4; at++) {
            if (archive[at] == 'P' && archive[at + 1] == 'K' && archive[at + 2] == 1 && archive[at + 3] == 2) {
                archive[at + 10] = 9;
            }
        }
        RemoteZip zip = new RemoteZip(inMemory(archive));
        assertEquals("a is packed by method 9, which is neither 0 nor 8",
                assertThrows(ZipException.class, () -> read(zip, "a")).getMessage());
    }

    @Test
    void aServerWithRangesSendsOnlyWhatIsNeeded() throws IOException {
        Map<String, byte[]> files = Map.of("wanted", content(50_000, 1), "other", content(4_000_000, 2));
        try (FileServer server = new FileServer(true)) {
            server.files.put("/a.jar", zip(files, true, null));
            RemoteZip zip = new RemoteZip(new RangeChannel(HttpRanges.probe(server.uri("/a.jar")).orElseThrow()));
            assertArrayEquals(files.get("wanted"), read(zip, "wanted"));
            assertTrue(server.sent < 150_000, "sent " + server.sent);
        }
    }

    @Test
    void aServerWithoutRangesIsRecognised() throws IOException {
        try (FileServer server = new FileServer(false)) {
            server.files.put("/a.jar", zip(Map.of(), true, null));
            assertTrue(HttpRanges.probe(server.uri("/a.jar")).isEmpty());
        }
    }

    @Test
    void aFileThatIsNotThereIsSaidWithItsAddress() throws IOException {
        try (FileServer server = new FileServer(true)) {
            HttpStatusException e = assertThrows(HttpStatusException.class,
                    () -> HttpRanges.probe(server.uri("/none.jar")));
            assertEquals("the server answers with HTTP status 404: it does not have the file", e.getMessage());
        }
    }
}
