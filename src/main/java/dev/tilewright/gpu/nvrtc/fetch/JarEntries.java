package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.Progress;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

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
     * @param progress hears of bytes read, compressed or not as the way goes
     * @throws IOException if the jar cannot be read, or an entry is not in it
     */
    static void read(URI jar, Set<String> names, Sink sink, String what, Progress progress) throws IOException {
        if ("file".equalsIgnoreCase(jar.getScheme())) {
            fromFile(Path.of(jar), names, sink, what, progress);
            return;
        }
        Optional<HttpRanges> ranges = HttpRanges.probe(jar);
        if (ranges.isPresent()) {
            fromRanges(new CountedRanges(ranges.get()), names, sink, what, progress);
        } else {
            fromStream(HttpRanges.whole(jar), names, sink, what, progress);
        }
    }

    private static void fromFile(Path jar, Set<String> names, Sink sink, String what, Progress progress)
            throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            List<ZipEntry> entries = names.stream().<ZipEntry>map(zip::getEntry).toList();
            requireAll(names, entries.stream().filter(e -> e != null).map(ZipEntry::getName).toList());
            long total = entries.stream().mapToLong(ZipEntry::getSize).sum();
            long before = 0;
            for (ZipEntry entry : entries) {
                long start = before;
                try (InputStream in = zip.getInputStream(entry)) {
                    sink.accept(entry.getName(), new Counted(in, n -> progress.at(what, start + n, total)));
                }
                before += entry.getSize();
            }
        }
    }

    private static void fromRanges(CountedRanges file, Set<String> names, Sink sink, String what, Progress progress)
            throws IOException {
        RemoteZip zip = new RemoteZip(file);
        List<RemoteZip.Entry> entries = names.stream().flatMap(n -> zip.entry(n).stream()).toList();
        requireAll(names, entries.stream().map(RemoteZip.Entry::name).toList());
        long total = entries.stream().mapToLong(RemoteZip.Entry::compressedSize).sum();
        long before = 0;
        for (RemoteZip.Entry entry : entries) {
            long start = before;
            file.listener = n -> progress.at(what, start + Math.min(n, entry.compressedSize()), total);
            try (InputStream in = zip.open(entry)) {
                sink.accept(entry.name(), in);
            }
            before += entry.compressedSize();
        }
    }

    private static void fromStream(HttpRanges.Whole jar, Set<String> names, Sink sink, String what, Progress progress)
            throws IOException {
        Set<String> missing = new HashSet<>(names);
        try (InputStream counted = new Counted(jar.content(), n -> progress.at(what, n, jar.size()));
                ZipInputStream zip = new ZipInputStream(new BufferedInputStream(counted, 1 << 16))) {
            ZipEntry entry;
            while (!missing.isEmpty() && (entry = zip.getNextEntry()) != null) {
                if (missing.remove(entry.getName())) {
                    sink.accept(entry.getName(), zip);
                }
            }
        }
        requireAll(missing, List.of());
    }

    private static void requireAll(Set<String> wanted, List<String> there) throws ZipException {
        Set<String> missing = new HashSet<>(wanted);
        there.forEach(missing::remove);
        if (!missing.isEmpty()) {
            throw new ZipException("the jar has no entry " + String.join(", ", missing));
        }
    }

    /** Ranges whose reads are counted from where each begins. */
    private static final class CountedRanges implements ByteRanges {

        private final ByteRanges file;
        private LongConsumer listener = n -> { };

        CountedRanges(ByteRanges file) {
            this.file = file;
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public InputStream open(long offset, long count) throws IOException {
            return new Counted(file.open(offset, count), listener);
        }
    }

    /** Tells how many bytes have been read. */
    private static final class Counted extends FilterInputStream {

        private final LongConsumer listener;
        private long count;

        Counted(InputStream in, LongConsumer listener) {
            super(in);
            this.listener = listener;
        }

        @Override
        public int read() throws IOException {
            int b = in.read();
            advance(b < 0 ? 0 : 1);
            return b;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int n = in.read(bytes, offset, length);
            advance(Math.max(0, n));
            return n;
        }

        private void advance(int n) {
            if (n > 0) {
                count += n;
                listener.accept(count);
            }
        }
    }
}
