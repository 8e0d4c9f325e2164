package dev.tilewright.gpu.streaming;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A source of bytes for a {@link Streamer}: host memory of any kind, or a file. Page-locked memory ({@link
 * dev.tilewright.gpu.PinnedMemory}, {@link dev.tilewright.gpu.RegisteredMemory}) goes to the GPU without a detour; all
 * else is copied to page-locked memory first, by several threads. A mapped file may be given as memory; as a file it is
 * read instead of mapped.
 */
public abstract sealed class HostSource permits MemorySource, FileSource {

    HostSource() { }

    /**
     * Memory: page-locked, mapped, of an arena or of an array. It must stay as it is, and open, until the run has
     * ended, except where the result is written to the same place.
     *
     * @throws IllegalArgumentException if only one thread may use it, and so no other thread could copy it
     */
    public static HostSource of(MemorySegment memory) {
        Objects.requireNonNull(memory, "memory");
        MemoryCopy.requireShared(memory, "the source");
        return new MemorySource(memory);
    }

    /**
     * A whole file. It is opened when a run starts.
     *
     * @throws java.io.UncheckedIOException if it is not there, or is a folder
     */
    public static HostSource of(Path file) {
        Objects.requireNonNull(file, "file");
        return FileSource.whole(file);
    }

    /**
     * A part of a file that is open for reading, which stays open, and whose position does not change.
     *
     * @param position its first byte
     * @param bytes how many
     */
    public static HostSource of(FileChannel file, long position, long bytes) {
        Objects.requireNonNull(file, "file");
        if (position < 0 || bytes < 0 || position > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("a part of a file begins at byte 0 or later and has at least 0 bytes, "
                    + "got " + bytes + " bytes at " + position);
        }
        return new FileSource(null, file, position, bytes);
    }

    /** How many bytes it has. */
    public abstract long bytes();

    /** The memory, where it is memory; else null. */
    MemorySegment memory() {
        return null;
    }

    /** What it is: {@code memory of 4096 bytes}, {@code the file /data/in.bin of 4096 bytes}. */
    @Override
    public abstract String toString();

    /** Begins to read, for one run. */
    abstract Reader open() throws IOException;

    /** A reader of the source for one run. Safe for use by several threads. */
    interface Reader extends AutoCloseable {

        /** Copies what is at a place. */
        void read(long at, MemorySegment to) throws IOException;

        @Override
        void close() throws IOException;
    }
}
