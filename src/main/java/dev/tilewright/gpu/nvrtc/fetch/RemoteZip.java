package dev.tilewright.gpu.nvrtc.fetch;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * A zip file of which only the parts that are wanted are read: first the end, which tells where the central directory
 * is, then the directory, then single entries. The layout is that of PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and
 * 4.3.16; archives that need Zip64 are refused. Contents are not held against their CRC: whoever wants files from
 * elsewhere has a better digest.
 */
final class RemoteZip {

    private static final int END_SIGNATURE = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int LONGEST_COMMENT = 0xFFFF;
    private static final int ENTRY_SIGNATURE = 0x02014b50;
    private static final int ENTRY_BYTES = 46;
    private static final int LOCAL_SIGNATURE = 0x04034b50;
    private static final int LOCAL_BYTES = 30;
    private static final int STORED = 0;
    private static final int DEFLATED = 8;

    private final ByteRanges file;
    private final Map<String, Entry> entries;

    /**
     * A file in the archive.
     *
     * @param name its path
     * @param method 0 stored, 8 deflated
     * @param compressedSize bytes in the archive
     * @param size bytes of the file
     * @param offset where its local header begins
     */
    record Entry(String name, int method, long compressedSize, long size, long offset) { }

    /** Reads the directory. */
    RemoteZip(ByteRanges file) throws IOException {
        this.file = file;
        this.entries = readDirectory();
    }

    Optional<Entry> entry(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    /** Opens a file of the archive; the stream gives its contents, inflated. The caller closes it. */
    InputStream open(Entry entry) throws IOException {
        ByteBuffer local = read(entry.offset, LOCAL_BYTES);
        if (local.getInt(0) != LOCAL_SIGNATURE) {
            throw new ZipException("no local header at " + entry.offset + " for " + entry.name);
        }
        long begin = entry.offset + LOCAL_BYTES + unsigned16(local, 26) + unsigned16(local, 28);
        if (begin + entry.compressedSize > file.size()) {
            throw new ZipException(entry.name + " reaches past the end of the archive");
        }
        InputStream raw = entry.compressedSize == 0
                ? new ByteArrayInputStream(new byte[0]) : file.open(begin, entry.compressedSize);
        return switch (entry.method) {
            case STORED -> raw;
            case DEFLATED -> inflated(raw);
            default -> {
                raw.close();
                throw new ZipException(entry.name + " is packed by method " + entry.method + ", which is neither 0 nor 8");
            }
        };
    }

    private static InputStream inflated(InputStream raw) {
        Inflater inflater = new Inflater(true);
        return new FilterInputStream(new InflaterInputStream(raw, inflater, 1 << 16)) {
            @Override
            public void close() throws IOException {
                super.close();
                inflater.end();
            }
        };
    }

    private Map<String, Entry> readDirectory() throws IOException {
        int tailBytes = (int) Math.min(file.size(), END_BYTES + LONGEST_COMMENT);
        ByteBuffer tail = read(file.size() - tailBytes, tailBytes);
        int end = findEnd(tail);
        int count = unsigned16(tail, end + 10);
        long bytes = unsigned32(tail, end + 12);
        long offset = unsigned32(tail, end + 16);
        if (count == 0xFFFF || bytes == 0xFFFFFFFFL || offset == 0xFFFFFFFFL) {
            throw new ZipException("the archive needs Zip64, which is not read here");
        }
        if (offset + bytes > file.size() || bytes > Integer.MAX_VALUE) {
            throw new ZipException("the central directory reaches past the end of the archive");
        }
        ByteBuffer directory = count == 0 ? ByteBuffer.allocate(0) : read(offset, (int) bytes);
        Map<String, Entry> found = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            Entry entry = readEntry(directory);
            found.put(entry.name, entry);
        }
        return found;
    }

    private static int findEnd(ByteBuffer tail) throws ZipException {
        for (int at = tail.limit() - END_BYTES; at >= 0; at--) {
            if (tail.getInt(at) == END_SIGNATURE && at + END_BYTES + unsigned16(tail, at + 20) == tail.limit()) {
                return at;
            }
        }
        throw new ZipException("this is not a zip file: it has no end-of-directory record");
    }

    /** Reads the entry at the buffer's position and moves past it. */
    private static Entry readEntry(ByteBuffer directory) throws ZipException {
        int at = directory.position();
        if (directory.remaining() < ENTRY_BYTES || directory.getInt(at) != ENTRY_SIGNATURE) {
            throw new ZipException("the central directory is damaged at byte " + at);
        }
        int nameBytes = unsigned16(directory, at + 28);
        int total = ENTRY_BYTES + nameBytes + unsigned16(directory, at + 30) + unsigned16(directory, at + 32);
        if (directory.remaining() < total) {
            throw new ZipException("the central directory is damaged at byte " + at);
        }
        byte[] name = new byte[nameBytes];
        directory.get(at + ENTRY_BYTES, name);
        directory.position(at + total);
        return new Entry(new String(name, StandardCharsets.UTF_8), unsigned16(directory, at + 10),
                unsigned32(directory, at + 20), unsigned32(directory, at + 24), unsigned32(directory, at + 42));
    }

    private ByteBuffer read(long offset, int count) throws IOException {
        if (offset < 0 || count <= 0 || offset + count > file.size()) {
            throw new ZipException("bytes " + offset + " to " + (offset + count) + " are not in the archive");
        }
        try (InputStream in = file.open(offset, count)) {
            byte[] bytes = in.readNBytes(count);
            if (bytes.length != count) {
                throw new EOFException("got " + bytes.length + " of " + count + " bytes");
            }
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static int unsigned16(ByteBuffer buffer, int at) {
        return Short.toUnsignedInt(buffer.getShort(at));
    }

    private static long unsigned32(ByteBuffer buffer, int at) {
        return Integer.toUnsignedLong(buffer.getInt(at));
    }
}
