package dev.tilewright.io;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Writes a {@code .npy} file, wholly or not at all. The array is a new file beside the target, mapped into memory: the
 * caller fills {@link #data()}, from any number of threads, and {@link #commit()} renames it to its name. Until
 * then a file of that name is as it was; without a commit nothing remains.
 *
 * <pre>{@code
 * try (NpyWriter out = NpyWriter.create(Path.of("y.npy"), ElementType.F32, List.of(1024L, 768L))) {
 *     results.copyTo(out.data());
 *     out.commit();
 * }
 * }</pre>
 */
public final class NpyWriter implements AutoCloseable {

    /** No header of version 1.0 has more bytes. */
    private static final long LARGEST_HEADER = 1 << 17;

    private final Path file;
    private final AtomicFile unfinished;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment whole;
    private final MemorySegment data;
    private boolean open = true;

    private NpyWriter(Path file, ElementType type, List<Long> shape, long size) throws IOException {
        this.file = file;
        this.unfinished = AtomicFile.named(file);
        byte[] header = NpyHeader.encode(type, shape);
        long total = Math.addExact(header.length, size);
        boolean mapped = false;
        try {
            checkSpace(total);
            Reservation.reserve(unfinished.path(), total);
            whole = map(total);
            mapped = true;
        } finally {
            if (!mapped) {
                close();
            }
        }
        whole.copyFrom(MemorySegment.ofArray(header));
        data = whole.asSlice(header.length);
    }

    private MemorySegment map(long total) throws IOException {
        try (FileChannel channel = FileChannel.open(unfinished.path(), StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, total, arena);
        }
    }

    /**
     * Starts a file for an array of this type and shape; all its elements are zero.
     *
     * @param file where the array is to be; its folder is made; a file of that name is replaced by
     *     {@link #commit()}, and where it is a symbolic link, the file that it leads to
     * @param shape as in {@link Npy#shape()}
     * @throws BadRequestException if the array is too large to count or for the file system, or the file cannot be
     *     written
     */
    public static NpyWriter create(Path file, ElementType type, List<Long> shape) {
        NotNull.all("file, type, shape", file, type, shape);
        long size;
        try {
            size = Npy.sizeInBytes(type, shape);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("cannot write an array to " + file + ": " + e.getMessage(), e);
        }
        if (size > Long.MAX_VALUE - LARGEST_HEADER) {
            throw new BadRequestException("cannot write an array to " + file + ": its shape is " + Npy.shapeText(shape)
                    + " of " + type + ", which with a header is more bytes than a 64-bit size can count");
        }
        try {
            return new NpyWriter(file, type, shape, size);
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        }
    }

    /**
     * Writes an array from its bytes.
     *
     * @param parts the data, one part after the other; together of the size that type and shape make
     * @throws BadRequestException as {@link #create} and {@link #commit}
     * @throws IllegalArgumentException if the parts are not as large as that
     */
    public static void write(Path file, ElementType type, List<Long> shape, MemorySegment... parts) {
        NotNull.all("file, type, shape, parts", file, type, shape, parts);
        long given = 0;
        for (MemorySegment part : parts) {
            given = Math.addExact(given, part.byteSize());
        }
        try (NpyWriter writer = create(file, type, shape)) {
            if (given != writer.data.byteSize()) {
                throw new IllegalArgumentException("an array of shape " + Npy.shapeText(shape) + " of " + type
                        + " has " + writer.data.byteSize() + " bytes, got " + given);
            }
            long at = 0;
            for (MemorySegment part : parts) {
                MemorySegment.copy(part, 0, writer.data, at, part.byteSize());
                at += part.byteSize();
            }
            writer.commit();
        }
    }

    /**
     * The array's bytes, to be filled: row-major, little-endian, at an address that is a multiple of 64. They are the
     * file itself, so that no second copy of a large result is needed. Usable by every thread until {@link #commit} or
     * {@link #close}.
     */
    public MemorySegment data() {
        return data;
    }

    /**
     * Gives the file its name, once the disk has it: a file of that name is complete, even after a power failure. No
     * thread may still be writing to {@link #data()}, which ends here.
     *
     * @throws BadRequestException if the file cannot be written, for example because the disk is full; nothing is left
     *     behind then
     * @throws IllegalStateException if this has been committed or closed before
     */
    public void commit() {
        if (!open) {
            throw new IllegalStateException(file + " has been committed or closed before");
        }
        try {
            whole.force();
            arena.close();
            unfinished.commit();
        } catch (UncheckedIOException e) {
            throw FileProblem.of("write", file, e.getCause());
        } catch (InternalError e) {
            throw FileProblem.of("write", file, new IOException("it was cut short, or its disk failed", e));
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        } finally {
            close();
        }
    }

    /** Ends the use of {@link #data()}; without a {@link #commit} before, the new file is deleted. */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        open = false;
        unfinished.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** What plainly does not fit is refused at once; whether the rest does, only its reservation tells. */
    private void checkSpace(long total) throws IOException {
        FileStore store = Files.getFileStore(unfinished.path().getParent());
        long usable = store.getUsableSpace();
        boolean known = store.getTotalSpace() > 0;
        if (known && total > usable) {
            throw new IOException("it takes " + total + " bytes, and its file system has " + usable + " left");
        }
    }

    /** {@code a.npy, being written}. */
    @Override
    public String toString() {
        return file + (open ? ", being written" : "");
    }
}
