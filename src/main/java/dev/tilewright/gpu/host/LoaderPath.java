package dev.tilewright.gpu.host;

import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where glibc's dynamic loader would find a library, without loading it (which takes libnvrtc a tenth of a second):
 * the folders of LD_LIBRARY_PATH, then {@code /etc/ld.so.cache}, then the default folders (ld.so(8)). The cache's
 * format is that of glibc's {@code dl-cache.h}.
 */
public record LoaderPath(HostEnvironment environment) {
    private static final byte[] MAGIC = "glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OLD_MAGIC = "ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER = 48;
    private static final int ENTRY = 24;

    private static final List<String> DEFAULTS =
            List.of("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib64", "usr/lib64", "lib", "usr/lib");

    /** The file that the loader would find under a library's name, if there is one. */
    public Optional<Path> find(String name) {
        List<Path> places = new ArrayList<>();
        for (String folder : environment.variable("LD_LIBRARY_PATH").orElse("").split("[:;]")) {
            // The loader takes relative ones too; what they mean depends on where a program is started.
            if (folder.startsWith("/")) {
                places.add(Path.of(folder, name));
            }
        }
        cached(name).ifPresent(places::add);
        for (String folder : DEFAULTS) {
            places.add(environment.system(folder).resolve(name));
        }
        for (Path place : places) {
            if (Files.isRegularFile(place)) {
                return Optional.of(place);
            }
        }
        return Optional.empty();
    }

    /** A damaged or foreign cache names nothing. */
    private Optional<Path> cached(String name) {
        try {
            byte[] file = Files.readAllBytes(environment.system("etc/ld.so.cache"));
            int start = startOfNewFormat(file);
            return start < 0 ? Optional.empty()
                    : entry(ByteBuffer.wrap(file, start, file.length - start).slice(), name);
        } catch (IOException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Since glibc 2.32 the file has only the new format; before that the old one may precede it. */
    private static int startOfNewFormat(byte[] file) {
        if (startsWith(file, 0, MAGIC)) {
            return 0;
        }
        if (!startsWith(file, 0, OLD_MAGIC)) {
            return -1;
        }
        int entries = ByteBuffer.wrap(file).order(ByteOrder.nativeOrder()).getInt(12);
        long end = 16 + 12L * entries;
        long aligned = (end + 7) / 8 * 8;
        return end > 0 && aligned < file.length && startsWith(file, (int) aligned, MAGIC) ? (int) aligned : -1;
    }

    private static Optional<Path> entry(ByteBuffer cache, String name) {
        cache.order(ByteOrder.nativeOrder());
        int entries = cache.getInt(20);
        for (int i = 0; i < entries; i++) {
            int at = HEADER + i * ENTRY;
            if (name.equals(string(cache, cache.getInt(at + 4)))) {
                return Optional.of(Path.of(string(cache, cache.getInt(at + 8))));
            }
        }
        return Optional.empty();
    }

    private static String string(ByteBuffer cache, int offset) {
        int end = offset;
        while (cache.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - offset];
        cache.get(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static boolean startsWith(byte[] file, int at, byte[] magic) {
        return at + magic.length <= file.length
                && Arrays.equals(file, at, at + magic.length, magic, 0, magic.length);
    }
}
