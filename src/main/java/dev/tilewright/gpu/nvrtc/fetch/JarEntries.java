package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.Progress;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.utils.InputStreamStatistics;
import org.apache.commons.io.input.BoundedInputStream;
import org.apache.commons.io.input.ProxyInputStream;

/**
 * Takes a few files out of a jar that may be on this disk or on a server, in the cheapest way that works: from the
 * file; by Range requests for just these entries; else by reading the whole jar as it streams past.
 */
final class JarEntries {

    /** Takes one file's contents. */
    interface Sink {
        void accept(String name, InputStream content) throws IOException;
    }

    private JarEntries() { }

    /**
     * Hands each named entry to the sink, in any order.
     *
     * @param jar an address of scheme http, https or file
     * @param progress is told how many of the jar's bytes have been read
     * @throws IOException if the jar cannot be read, or an entry is not in it
     */
    static void read(URI jar, Set<String> names, Sink sink, String what, Progress progress) throws IOException {
        try {
            readUnchecked(jar, names, sink, what, progress);
        } catch (ArithmeticException | IllegalArgumentException | IllegalStateException
                | IndexOutOfBoundsException | NegativeArraySizeException e) {
            // What the zip library and the arithmetic of ranges make of sizes and offsets that cannot be.
            throw new DamagedException("the jar says of itself what cannot be", e);
        }
    }

    private static void readUnchecked(URI jar, Set<String> names, Sink sink, String what, Progress progress)
            throws IOException {
        if ("file".equalsIgnoreCase(jar.getScheme())) {
            fromZip(new RemoteZip(Files.newByteChannel(Path.of(jar))), names, sink, what, progress);
            return;
        }
        Optional<HttpRanges> ranges = HttpRanges.probe(jar);
        if (ranges.isPresent()) {
            fromZip(new RemoteZip(new RangeChannel(ranges.get())), names, sink, what, progress);
        } else {
            fromStream(HttpRanges.whole(jar), names, sink, what, progress);
        }
    }

    /** @param zip closed in the end */
    private static void fromZip(RemoteZip zip, Set<String> names, Sink sink, String what, Progress progress)
            throws IOException {
        try (zip) {
            Set<String> missing = new HashSet<>(names);
            List<ZipArchiveEntry> entries = new ArrayList<>();
            for (String name : names) {
                zip.entry(name).ifPresent(entry -> {
                    missing.remove(name);
                    entries.add(entry);
                });
            }
            requireNone(missing);
            long total = entries.stream().mapToLong(ZipArchiveEntry::getCompressedSize).sum();
            long before = 0;
            for (ZipArchiveEntry entry : entries) {
                long start = before;
                try (InputStream in = zip.open(entry)) {
                    LongSupplier packed = ((InputStreamStatistics) in)::getCompressedCount;
                    sink.accept(entry.getName(), new Told(in, packed,
                            n -> progress.at(what, start + Math.min(n, entry.getCompressedSize()), total)));
                }
                before += entry.getCompressedSize();
            }
        }
    }

    private static void fromStream(HttpRanges.Whole jar, Set<String> names, Sink sink, String what, Progress progress)
            throws IOException {
        Set<String> missing = new HashSet<>(names);
        BoundedInputStream counted = BoundedInputStream.builder().setInputStream(jar.content()).get();
        try (InputStream told = new Told(counted, counted::getCount, n -> progress.at(what, n, jar.size()));
                ZipInputStream zip = new ZipInputStream(new BufferedInputStream(told, 1 << 16))) {
            ZipEntry entry;
            while (!missing.isEmpty() && (entry = zip.getNextEntry()) != null) {
                if (missing.remove(entry.getName())) {
                    sink.accept(entry.getName(), zip);
                }
            }
        }
        requireNone(missing);
    }

    private static void requireNone(Set<String> missing) throws DamagedException {
        if (!missing.isEmpty()) {
            throw new DamagedException("the jar has no entry " + String.join(", ", missing));
        }
    }

    /** Tells a listener of a count after each read. */
    private static final class Told extends ProxyInputStream {
        private final LongSupplier count;
        private final LongConsumer listener;

        Told(InputStream in, LongSupplier count, LongConsumer listener) {
            super(in);
            this.count = count;
            this.listener = listener;
        }

        @Override
        protected void afterRead(int n) {
            listener.accept(count.getAsLong());
        }
    }
}
