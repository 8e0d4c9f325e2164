package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.Progress;
import dev.tilewright.io.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.DigestUtils;

/** Unpacks files whose digests are known from a jar: all of them, whole and as published, or none. */
final class PinnedJar {

    private PinnedJar() { }

    /**
     * Puts the files into a folder. Nothing has its name there before everything has been checked.
     *
     * @param files in the order in which they are to appear
     * @throws IOException if the jar cannot be read, or holds something else than what was published
     * @throws UncheckedIOException if the folder cannot be written
     */
    static void unpack(URI jar, List<PinnedFile> files, Path folder, String what, Progress progress)
            throws IOException {
        Map<String, PinnedFile> byEntry =
                files.stream().collect(Collectors.toMap(PinnedFile::entry, Function.identity()));
        Map<PinnedFile, AtomicFile> unpacked = new LinkedHashMap<>();
        try {
            JarEntries.read(jar, byEntry.keySet(), (entry, content) -> {
                PinnedFile file = byEntry.get(entry);
                AtomicFile unfinished = AtomicFile.replacing(folder.resolve(file.name()));
                unpacked.put(file, unfinished);
                copyChecked(content, unfinished.path(), file);
            }, what, progress);
            onDisk(() -> {
                for (PinnedFile file : files) {
                    unpacked.get(file).commit();
                }
            });
        } finally {
            unpacked.values().forEach(AtomicFile::close);
        }
    }

    private static void copyChecked(InputStream content, Path target, PinnedFile file) throws IOException {
        MessageDigest digest = DigestUtils.getSha256Digest();
        byte[] buffer = new byte[1 << 16];
        OutputStream[] out = new OutputStream[1];
        onDisk(() -> out[0] = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        try {
            long total = 0;
            for (int read; (read = content.read(buffer)) >= 0; ) {
                int count = read;
                total += count;
                if (total > file.bytes()) {
                    throw new DamagedException(file.name() + " has more than its " + file.bytes() + " bytes");
                }
                digest.update(buffer, 0, count);
                onDisk(() -> out[0].write(buffer, 0, count));
            }
        } finally {
            onDisk(() -> out[0].close());
        }
        String found = HexFormat.of().formatHex(digest.digest());
        if (!found.equals(file.sha256())) {
            throw new DamagedException(file.name() + " has SHA-256 " + found + ", and the published one "
                    + file.sha256());
        }
    }

    private interface DiskWork {
        void run() throws IOException;
    }

    /** Tells failures of this disk from failures of the jar. */
    private static void onDisk(DiskWork work) {
        try {
            work.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
