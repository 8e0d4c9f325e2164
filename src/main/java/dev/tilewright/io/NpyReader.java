package dev.tilewright.io;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Opens {@code .npy} files of format 1.0, 2.0 and 3.0 by mapping their data into memory: nothing is copied, and a file
 * may be larger than the heap and than 2 GiB.
 *
 * <p>A file is believed only as far as it can be checked. Each fault is one sentence with its name, and
 * an array that is given out is wholly inside the file.
 */
public final class NpyReader {

    /** Longer headers than this are refused. NumPy itself refuses those above 10,000 unless it is told otherwise. */
    private static final int MAX_HEADER = 1 << 20;

    private NpyReader() {}

    /**
     * Opens a file.
     *
     * @param file the file; it must not be cut short by anyone as long as the array is in use
     * @param arena how long the array's data stay mapped, and which threads may read them
     * @throws BadRequestException if there is no such file, it may not be read, it is not a {@code .npy} file, it is
     *     damaged, or it holds an array of a kind that {@link Npy} does not describe: big-endian, in Fortran order, or
     *     of a type that {@link dev.tilewright.layout.ElementType} does not have
     */
    public static Npy open(Path file, Arena arena) {
        NotNull.all("file, arena", file, arena);
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new BadRequestException("cannot read " + file + ": it is " + (attributes.isDirectory()
                        ? "a folder, not a .npy file"
                        : "not a regular file, and only those can be mapped into memory"));
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return read(file, channel, arena);
            }
        } catch (IOException e) {
            throw FileProblem.of("read", file, e);
        }
    }

    private static Npy read(Path file, FileChannel channel, Arena arena) throws IOException {
        long fileSize = channel.size();
        byte[] start = bytes(channel, 0, (int) Math.min(fileSize, 12));
        checkMagic(file, start);
        if (fileSize < 8) {
            throw new BadRequestException(file + " is cut short: it ends after " + fileSize
                    + " bytes, inside the version number");
        }
        int major = start[6] & 0xff;
        int minor = start[7] & 0xff;
        if (major < 1 || major > 3 || minor != 0) {
            throw new BadRequestException(file + " is of npy format version " + major + "." + minor
                    + ", and only 1.0, 2.0 and 3.0 are read");
        }
        int headerAt = major == 1 ? 10 : 12;
        if (fileSize < headerAt) {
            throw new BadRequestException(file + " is cut short: it ends after " + fileSize
                    + " bytes, inside the header's length");
        }
        ByteBuffer prefix = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN);
        long headerSize = major == 1 ? prefix.getShort(8) & 0xffffL : prefix.getInt(8) & 0xffffffffL;
        if (headerSize > fileSize - headerAt) {
            throw new BadRequestException(file + " is cut short: its header should have " + headerSize + " bytes, and "
                    + (fileSize - headerAt) + " are left");
        }
        if (headerSize > MAX_HEADER) {
            throw new BadRequestException(file + " has a header of " + headerSize + " bytes, and at most " + MAX_HEADER
                    + " are read");
        }
        NpyHeader header = parse(file, bytes(channel, headerAt, (int) headerSize),
                major == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
        long dataAt = headerAt + headerSize;
        checkSize(file, header, fileSize - dataAt);
        return new Npy(header.type(), header.shape(), map(channel, dataAt, header.size(), arena));
    }

    private static void checkMagic(Path file, byte[] start) {
        int n = Math.min(start.length, NpyHeader.MAGIC.length);
        if (n == 0) {
            throw new BadRequestException(file + " is empty, and not a .npy file");
        }
        if (!Arrays.equals(start, 0, n, NpyHeader.MAGIC, 0, n)) {
            boolean zip = start.length > 1 && start[0] == 'P' && start[1] == 'K';
            throw new BadRequestException(file + " is not a .npy file: it starts with the bytes "
                    + HexFormat.ofDelimiter(" ").formatHex(start, 0, n) + ", not with 93 4e 55 4d 50 59 (\\x93NUMPY)"
                    + (zip ? "; if it is a .npz archive, unzip it and name one of the arrays in it" : ""));
        }
        if (n < NpyHeader.MAGIC.length) {
            throw new BadRequestException(file + " is cut short: it ends after " + n
                    + " bytes, inside the magic string");
        }
    }

    private static NpyHeader parse(Path file, byte[] header, Charset charset) {
        try {
            return NpyHeader.parse(charset.newDecoder().decode(ByteBuffer.wrap(header)).toString());
        } catch (CharacterCodingException e) {
            throw new BadRequestException(file + " has a header that is not " + charset + " text");
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(file + " " + e.getMessage(), e);
        }
    }

    private static void checkSize(Path file, NpyHeader header, long actual) {
        String claim = "its header says shape " + Npy.shapeText(header.shape()) + " of " + header.type() + ", which is "
                + header.size() + " bytes of data, and ";
        if (actual < header.size()) {
            throw new BadRequestException(file + " is cut short: " + claim + "there are " + actual);
        }
        if (actual > header.size()) {
            throw new BadRequestException(file + " is longer than it says: " + claim + "there are " + actual
                    + "; a file with several arrays in it must be split");
        }
    }

    private static MemorySegment map(FileChannel channel, long at, long size, Arena arena) throws IOException {
        return size == 0 ? arena.allocate(0).asReadOnly() : channel.map(FileChannel.MapMode.READ_ONLY, at, size, arena);
    }

    private static byte[] bytes(FileChannel channel, long at, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, at + buffer.position()) < 0) {
                throw new IOException("it became shorter while it was read");
            }
        }
        return buffer.array();
    }
}
