package dev.tilewright.gpu.nvrtc.fetch;

import java.io.IOException;
import java.io.InputStream;

/** A file somewhere else of which any part can be read. */
interface ByteRanges {

    /** Bytes in all. */
    long size();

    /** Reads {@code count} bytes from {@code offset}; the caller closes the stream. */
    InputStream open(long offset, long count) throws IOException;
}
