package dev.tilewright.gpu.nvrtc.fetch;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * A file of which only parts can be asked for, as a channel to read from, so that a zip library can work on it. A part
 * that was announced is asked for once, and passes through as it is read from its beginning on; everything else
 * is read in blocks, which are kept: of a zip file the directory and the headers. Used by one thread.
 */
final class RangeChannel implements SeekableByteChannel {
    /** Bytes of a block: as much as the directory of a usual jar. */
    static final int BLOCK = 16 << 10;

    private final ByteRanges file;
    private final Map<Long, byte[]> blocks = new HashMap<>();
    private long position;
    private boolean open = true;

    /** The announced part, and how far it has been read; the stream is opened by its first read. */
    private long partBegin;
    private long partAt;
    private long partEnd;
    private InputStream part;

    RangeChannel(ByteRanges file) {
        this.file = file;
    }

    /**
     * Announces that the {@code count} bytes from {@code offset} will be read in their order. Replaces the part before.
     */
    void announce(long offset, long count) throws IOException {
        closePart();
        partBegin = offset;
        partAt = offset;
        partEnd = Math.min(Math.addExact(offset, count), file.size());
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        if (!open) {
            throw new ClosedChannelException();
        }
        if (position >= file.size()) {
            return -1;
        }
        if (!to.hasRemaining()) {
            return 0;
        }
        int count = position == partAt && partAt < partEnd ? readPart(to) : readBlock(to);
        position += count;
        return count;
    }

    private int readPart(ByteBuffer to) throws IOException {
        if (part == null) {
            part = file.open(partBegin, partEnd - partBegin);
        }
        byte[] bytes = new byte[(int) Math.min(to.remaining(), partEnd - partAt)];
        int count = part.read(bytes);
        if (count < 0) {
            throw new EOFException("got " + (partAt - partBegin) + " of " + (partEnd - partBegin) + " bytes");
        }
        to.put(bytes, 0, count);
        partAt += count;
        return count;
    }

    private int readBlock(ByteBuffer to) throws IOException {
        long number = position / BLOCK;
        byte[] block = blocks.get(number);
        if (block == null) {
            block = fetch(number * BLOCK);
            blocks.put(number, block);
        }
        int from = (int) (position - number * BLOCK);
        int count = Math.min(to.remaining(), block.length - from);
        to.put(block, from, count);
        return count;
    }

    private byte[] fetch(long offset) throws IOException {
        int count = (int) Math.min(BLOCK, file.size() - offset);
        try (InputStream in = file.open(offset, count)) {
            byte[] bytes = in.readNBytes(count);
            if (bytes.length != count) {
                throw new EOFException("got " + bytes.length + " of " + count + " bytes");
            }
            return bytes;
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public RangeChannel position(long newPosition) {
        if (newPosition < 0) {
            throw new IllegalArgumentException("a position is at least 0, got " + newPosition);
        }
        position = newPosition;
        return this;
    }

    @Override
    public long size() {
        return file.size();
    }

    @Override
    public int write(ByteBuffer from) {
        throw new NonWritableChannelException();
    }

    @Override
    public RangeChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() throws IOException {
        open = false;
        closePart();
    }

    private void closePart() throws IOException {
        if (part != null) {
            part.close();
            part = null;
        }
        partEnd = partAt;
    }
}
