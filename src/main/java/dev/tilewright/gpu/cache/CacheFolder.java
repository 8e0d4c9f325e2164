package dev.tilewright.gpu.cache;

import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.io.UnfinishedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of a kernel cache: names, storing, and keeping its size within the limit. It removes only files that bear
 * a name it would give. Between two looks at the folder other processes may add to it, so the limit is kept a little
 * loosely: it is enforced at the first store, and again whenever an eighth of it has been stored since.
 */
final class CacheFolder {

    private static final Pattern ENTRY = Pattern.compile("[0-9a-f]{64}\\.cubin");

    /** How old an unfinished file is when a writer that cannot be looked for is taken for dead. */
    private static final Duration ABANDONED = Duration.ofHours(1);

    /** More than any kernel has, signature included: 64 MiB. */
    static final int MOST_BYTES = 64 << 20;

    private final Path path;
    private final long limit;
    private final KnownCompilers compilers;
    private final EventCount hits;
    private final EventCount misses;

    /** Bytes stored since the limit was last enforced; -1 before the first time. */
    private long unchecked = -1;

    /** A kernel on disk. */
    record Entry(Path file, long bytes, Instant used) { }

    /** What is there. */
    record Contents(List<Entry> entries, long bytes) { }

    CacheFolder(Path path, long limit) {
        this.path = path;
        this.limit = limit;
        this.compilers = new KnownCompilers(path);
        this.hits = new EventCount(path.resolve(".hits"));
        this.misses = new EventCount(path.resolve(".misses"));
    }

    Path path() {
        return path;
    }

    long limit() {
        return limit;
    }

    KnownCompilers compilers() {
        return compilers;
    }

    /** Kernels that all processes together found here. */
    EventCount hits() {
        return hits;
    }

    /** Kernels that all processes together had to compile. */
    EventCount misses() {
        return misses;
    }

    Path entry(String key) {
        return path.resolve(key + ".cubin");
    }

    /**
     * Reads an entry; empty if there is none that was signed here.
     *
     * @param damage counts what is none
     */
    Optional<byte[]> read(String key, LongAdder damage) {
        Optional<byte[]> file = bytes(entry(key));
        Optional<byte[]> cubin = file.flatMap(bytes -> unpack(path, key, bytes));
        if (file.isPresent() && cubin.isEmpty()) {
            damage.increment();
        }
        return cubin;
    }

    /**
     * What a file holds; empty if there is none. What is larger than a kernel can be is not read, and nothing is
     * unpacked from it.
     */
    static Optional<byte[]> bytes(Path file) {
        return bytes(file, MOST_BYTES);
    }

    /** What a file holds, if it has at most {@code most} bytes; empty for a larger one, or none. */
    static Optional<byte[]> bytes(Path file, int most) {
        try (InputStream in = Files.newInputStream(file)) {
            // The size first: memory for the most would be taken for a file that has them and cannot be right.
            boolean large = Files.size(file) > most;
            byte[] bytes = large ? new byte[0] : in.readNBytes(most + 1);
            return Optional.of(bytes.length > most ? new byte[0] : bytes);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** What was signed in a folder under a name; empty if it was not. */
    static Optional<byte[]> unpack(Path folder, String name, byte[] file) {
        return CacheKey.read(folder).flatMap(secret -> CacheEntry.unpack(secret, name, file));
    }

    /** Writes an entry, unless it alone outgrows the limit, or what is read. */
    void store(String key, byte[] cubin) throws IOException {
        long bytes = CacheEntry.HEADER + (long) cubin.length;
        if (bytes > Math.min(limit, MOST_BYTES)) {
            return;
        }
        TrustedFolder.create(path);
        AtomicFile.write(entry(key), CacheEntry.pack(CacheKey.readOrCreate(path), key, cubin));
        if (timeToEnforce(bytes)) {
            enforce(entry(key));
        }
    }

    private synchronized boolean timeToEnforce(long stored) {
        boolean first = unchecked < 0;
        unchecked = Math.max(0, unchecked) + stored;
        if (first || unchecked > limit / 8) {
            unchecked = 0;
            return true;
        }
        return false;
    }

    /** Removes the least recently used until an eighth of the limit is free; never the one just stored. */
    private void enforce(Path justStored) {
        removeAbandoned();
        Contents contents = contents();
        if (contents.bytes <= limit - limit / 8) {
            return;
        }
        long excess = contents.bytes - (limit - limit / 8);
        for (Entry entry : contents.entries.stream().sorted(Comparator.comparing(Entry::used)).toList()) {
            if (excess <= 0) {
                return;
            }
            if (!entry.file.equals(justStored) && remove(entry.file)) {
                excess -= entry.bytes;
            }
        }
    }

    Contents contents() {
        List<Entry> entries = new ArrayList<>();
        for (Path file : files()) {
            if (ENTRY.matcher(file.getFileName().toString()).matches()) {
                try {
                    BasicFileAttributes a = Files.readAttributes(file, BasicFileAttributes.class);
                    entries.add(new Entry(file, a.size(), a.lastModifiedTime().toInstant()));
                } catch (IOException e) {
                    // Another process has just removed it.
                }
            }
        }
        return new Contents(entries, entries.stream().mapToLong(Entry::bytes).sum());
    }

    long clear() throws IOException {
        removeAbandoned();
        compilers.clear();
        hits.reset();
        misses.reset();
        long freed = 0;
        for (Entry entry : contents().entries) {
            if (Files.deleteIfExists(entry.file)) {
                freed += entry.bytes;
            }
        }
        return freed;
    }

    private void removeAbandoned() {
        UnfinishedFiles.removeFrom(path, ABANDONED);
    }

    private static boolean remove(Path file) {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            return false;
        }
    }

    private List<Path> files() {
        try (Stream<Path> list = Files.list(path)) {
            return list.toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
