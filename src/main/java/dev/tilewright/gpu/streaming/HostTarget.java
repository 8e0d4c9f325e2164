package dev.tilewright.gpu.streaming;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A target for the bytes that a {@link Streamer} brings back: host memory of any kind, or a file. Page-locked memory is
 * written by the GPU itself; all else by way of page-locked memory, by several threads.
 */
public abstract sealed class HostTarget permits MemoryTarget, FileTarget {

    HostTarget() { }

    /**
     * Memory: page-locked, mapped for writing, of an arena or of an array. It must stay open until the run has ended.
     * It may be the very memory of a source whose rows are as long; a part of it at another place may not.
     *
     * @throws IllegalArgumentException if it is read-only, or only one thread may use it
     */
    public static HostTarget of(MemorySegment memory) {
        Objects.requireNonNull(memory, "memory");
        MemoryCopy.requireShared(memory, "the target");
        return new MemoryTarget(memory);
    }

    /**
     * A new file, or one that replaces the file of this name, even a source: it has the name once the run has ended
     * well, and nothing is left of it otherwise.
     */
    public static HostTarget of(Path file) {
        Objects.requireNonNull(file, "file");
        return new FileTarget(file, null, 0);
    }

    /**
     * A part of a file that is open for writing, which stays open, and whose position does not change. It must not be a
     * part that is read in the same run.
     *
     * @param position its first byte
     */
    public static HostTarget of(FileChannel file, long position) {
        Objects.requireNonNull(file, "file");
        if (position < 0) {
            throw new IllegalArgumentException("a part of a file begins at byte 0 or later, got " + position);
        }
        return new FileTarget(null, file, position);
    }

    /** Refuses a result of another size. */
    abstract void requireBytes(long bytes);

    /** The memory, where it is memory; else null. */
    MemorySegment memory() {
        return null;
    }

    /** What it is: {@code memory of 4096 bytes}, {@code the file /data/out.bin}. */
    @Override
    public abstract String toString();

    /** Begins to write, for one run. */
    abstract Writer open() throws IOException;

    /** A writer to the target for one run. Safe for use by several threads. */
    interface Writer extends AutoCloseable {

        /** Writes to a place. */
        void write(long at, MemorySegment from) throws IOException;

        /** All has been written. */
        void commit() throws IOException;

        /** Ends it; without a commit before, what was written is not wanted. */
        @Override
        void close() throws IOException;
    }
}
