package dev.tilewright.gpu.streaming;

import dev.tilewright.io.AtomicFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file to write, by writes at a position, of which several may be under way at once. */
final class FileTarget extends HostTarget {
    /** A ByteBuffer has less than 2 GiB. */
    private static final long MOST_AT_ONCE = 1L << 30;

    /** The file to make; null if the application has opened it. */
    private final Path path;
    private final FileChannel channel;
    private final long position;

    FileTarget(Path path, FileChannel channel, long position) {
        this.path = path;
        this.channel = channel;
        this.position = position;
    }

    @Override
    void requireBytes(long bytes) {
        if (position > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("no file has " + bytes + " bytes at byte " + position);
        }
    }

    @Override
    Writer open() throws IOException {
        return path == null ? new Part() : new Whole(named(path));
    }

    /** Names the file where the reason does not. */
    private static AtomicFile named(Path path) throws IOException {
        try {
            return AtomicFile.named(path);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            FileSystemException named = new FileSystemException(path.toString(), null,
                    "cannot be written: " + e.getMessage());
            named.initCause(e);
            throw named;
        }
    }

    @Override
    public String toString() {
        return path == null ? "an open file from byte " + position + " on" : "the file " + path;
    }

    private static void writeAll(FileChannel to, long position, MemorySegment from) throws IOException {
        for (long done = 0; done < from.byteSize(); done += MOST_AT_ONCE) {
            ByteBuffer part = from.asSlice(done, Math.min(MOST_AT_ONCE, from.byteSize() - done)).asByteBuffer();
            while (part.hasRemaining()) {
                to.write(part, position + done + part.position());
            }
        }
    }

    /** A part of the application's file. */
    private final class Part implements Writer {
        @Override
        public void write(long at, MemorySegment from) throws IOException {
            writeAll(channel, position + at, from);
        }

        @Override
        public void commit() {
            // What was written is in the file.
        }

        @Override
        public void close() {
            // The file is the application's.
        }
    }

    /** A file of our own, under another name until it is finished. */
    private static final class Whole implements Writer {
        private final AtomicFile file;
        private final FileChannel open;

        Whole(AtomicFile file) throws IOException {
            this.file = file;
            try {
                this.open = FileChannel.open(file.path(), StandardOpenOption.WRITE);
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
        }

        @Override
        public void write(long at, MemorySegment from) throws IOException {
            writeAll(open, at, from);
        }

        @Override
        public void commit() throws IOException {
            open.close();
            file.commit();
        }

        @Override
        public void close() throws IOException {
            try {
                open.close();
            } finally {
                file.close();
            }
        }
    }
}
