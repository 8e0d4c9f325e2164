package dev.tilewright.gpu.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.io.host.HostEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where glibc would look, on caches written by this test in glibc's two formats. */
class LoaderPathTest {

    @TempDir
    Path root;

    private static byte[] cache(Map<String, String> libraries) {
        ByteArrayOutputStream strings = new ByteArrayOutputStream();
        ByteBuffer head = ByteBuffer.allocate(48 + 24 * libraries.size()).order(ByteOrder.nativeOrder());
        head.put("glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII)).putInt(libraries.size());
        head.position(48);
        libraries.forEach((name, path) -> {
            int key = head.capacity() + strings.size();
            strings.writeBytes((name + "\0").getBytes(StandardCharsets.UTF_8));
            int value = head.capacity() + strings.size();
            strings.writeBytes((path + "\0").getBytes(StandardCharsets.UTF_8));
            head.putInt(0x303).putInt(key).putInt(value).putInt(0).putLong(0);
        });
        ByteBuffer all = ByteBuffer.allocate(head.capacity() + strings.size());
        return all.put(head.array()).put(strings.toByteArray()).array();
    }

    /** As glibc before 2.32 wrote it: the old format with some entries, padded, then the new one. */
    private static byte[] behindOldFormat(byte[] cache, int oldEntries) {
        int end = (16 + 12 * oldEntries + 7) / 8 * 8;
        ByteBuffer file = ByteBuffer.allocate(end + cache.length).order(ByteOrder.nativeOrder());
        file.put("ld.so-1.7.0\0".getBytes(StandardCharsets.US_ASCII)).putInt(oldEntries);
        file.position(end);
        return file.put(cache).array();
    }

    private Optional<Path> find(byte[] cache, Map<String, String> variables, String name) throws IOException {
        Files.createDirectories(root.resolve("etc"));
        Files.write(root.resolve("etc/ld.so.cache"), cache);
        return new LoaderPath(HostEnvironment.of(Map.of(), variables, root)).find(name);
    }

    private Path file(String name) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, new byte[1]);
    }

    @Test
    void theVariableGoesBeforeTheCacheAndTheCacheBeforeTheDefaults() throws IOException {
        Path standard = file("usr/lib64/liba.so.1");
        assertEquals(Optional.of(standard), find(cache(Map.of()), Map.of(), "liba.so.1"));
        Path cached = file("opt/a/liba.so.1");
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put("libb.so.1", "/b/libb.so.1");
        entries.put("liba.so.1", cached.toString());
        assertEquals(Optional.of(cached), find(cache(entries), Map.of(), "liba.so.1"));
        Path listed = file("listed/liba.so.1");
        assertEquals(Optional.of(listed), find(cache(entries),
                Map.of("LD_LIBRARY_PATH", "/none::" + root.resolve("listed")), "liba.so.1"));
    }

    @Test
    void aCachedFileThatIsGoneIsNotFound() throws IOException {
        assertEquals(Optional.empty(), find(cache(Map.of("liba.so.1", "/gone/liba.so.1")), Map.of(), "liba.so.1"));
    }

    @Test
    void theOldFormatInFrontIsSkipped() throws IOException {
        Path cached = file("opt/a/liba.so.1");
        for (int oldEntries = 0; oldEntries < 4; oldEntries++) {
            byte[] file = behindOldFormat(cache(Map.of("liba.so.1", cached.toString())), oldEntries);
            assertEquals(Optional.of(cached), find(file, Map.of(), "liba.so.1"));
        }
    }

    @Property(tries = 300)
    void aDamagedCacheFindsNothingAndThrowsNothing(@ForAll @IntRange(max = 200) int length,
            @ForAll @IntRange(max = 200) int at,
            @ForAll byte value) throws IOException {
        Path folder = Files.createTempDirectory("tilewright-loader");
        try {
            byte[] cache = behindOldFormat(cache(Map.of("liba.so.1", "/gone/liba.so.1")), 2);
            byte[] damaged = Arrays.copyOf(cache, Math.min(length, cache.length));
            if (at < damaged.length) {
                damaged[at] = value;
            }
            Files.createDirectories(folder.resolve("etc"));
            Files.write(folder.resolve("etc/ld.so.cache"), damaged);
            assertEquals(Optional.empty(),
                    new LoaderPath(HostEnvironment.of(Map.of(), Map.of(), folder)).find("liba.so.1"));
        } finally {
            Files.deleteIfExists(folder.resolve("etc/ld.so.cache"));
            Files.deleteIfExists(folder.resolve("etc"));
            Files.delete(folder);
        }
    }
}
