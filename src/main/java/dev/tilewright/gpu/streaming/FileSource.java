package dev.tilewright.gpu.streaming;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file to read, by reads at a position, of which several may be under way at once. */
final class FileSource extends HostSource {
    /** A ByteBuffer has less than 2 GiB. */
    private static final long MOST_AT_ONCE = 1L << 30;

    /** What is opened for each run; null if the application has opened the file. */
    private final Path path;
    private final FileChannel channel;
    private final long position;
    private final long bytes;

    FileSource(Path path, FileChannel channel, long position, long bytes) {
        this.path = path;
        this.channel = channel;
        this.position = position;
        this.bytes = bytes;
    }

    static FileSource whole(Path path) {
        try {
            if (Files.isDirectory(path)) {
                throw new FileSystemException(path.toString(), null, "is a folder, and slabs come from a file");
            }
            return new FileSource(path, null, 0, Files.size(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    Reader open() throws IOException {
        return path == null ? reader(channel, false) : reader(FileChannel.open(path, StandardOpenOption.READ), true);
    }

    /** @param owned whether the channel is closed with the reader */
    Reader reader(FileChannel open, boolean owned) {
        return new Reader() {
            @Override
            public void read(long at, MemorySegment to) throws IOException {
                for (long done = 0; done < to.byteSize(); done += MOST_AT_ONCE) {
                    MemorySegment part = to.asSlice(done, Math.min(MOST_AT_ONCE, to.byteSize() - done));
                    readAll(open, position + at + done, part.asByteBuffer());
                }
            }

            @Override
            public void close() throws IOException {
                if (owned) {
                    open.close();
                }
            }
        };
    }

    private void readAll(FileChannel open, long from, ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            long at = from + to.position();
            if (open.read(to, at) < 0) {
                throw new EOFException((path == null ? "the file" : path) + " ends at byte " + open.size()
                        + ", and byte " + at + " was to be read: it has become shorter");
            }
        }
    }

    @Override
    public String toString() {
        return path == null ? bytes + " bytes at byte " + position + " of an open file"
                : "the file " + path + " of " + bytes + " bytes";
    }
}
