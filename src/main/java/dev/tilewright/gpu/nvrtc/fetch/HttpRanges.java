package dev.tilewright.gpu.nvrtc.fetch;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file on a web server that honours Range requests (RFC 9110, section 14). HttpURLConnection rather than
 * java.net.http, because it can bound the wait for each read: a mirror that stalls becomes an error. A user and a
 * password in the address are sent as RFC 7617 says.
 */
final class HttpRanges implements ByteRanges {

    /** How long a server may say nothing. Tests have less patience. */
    static volatile int readMillis = 20_000;

    private static final int PARTIAL_CONTENT = 206;
    private static final int CONNECT_MILLIS = 15_000;

    /** A server that sends less than this in a time to read, in bytes, has stalled though it sends. */
    private static final long SLOWEST = 64 << 10;

    /** Sizes above this are no jar's: bytes. */
    private static final long LARGEST = 1L << 40;

    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

    private final URI uri;
    private final long size;

    private HttpRanges(URI uri, long size) {
        this.uri = uri;
        this.size = size;
    }

    /**
     * Asks for one byte, to see whether the server gives out parts.
     *
     * @return empty if it would only give out the whole file
     * @throws IOException if the server cannot be reached or does not have the file
     */
    static Optional<HttpRanges> probe(URI uri) throws IOException {
        HttpURLConnection connection = connect(uri, "bytes=0-0");
        try {
            if (status(connection) != PARTIAL_CONTENT) {
                return Optional.empty();
            }
            Matcher range = CONTENT_RANGE.matcher(String.valueOf(connection.getHeaderField("Content-Range")));
            if (!range.matches()) {
                return Optional.empty();
            }
            long size = Long.parseLong(range.group(3));
            if (size > LARGEST) {
                throw new DamagedException("the server says that the jar has " + size + " bytes");
            }
            return Optional.of(new HttpRanges(uri, size));
        } finally {
            connection.disconnect();
        }
    }

    /** The whole of a file, with its size or -1. */
    record Whole(InputStream content, long size) { }

    /** Opens a whole file. The caller closes the stream. */
    static Whole whole(URI uri) throws IOException {
        HttpURLConnection connection = connect(uri, null);
        status(connection);
        return new Whole(new Paced(connection.getInputStream()), connection.getContentLengthLong());
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public InputStream open(long offset, long count) throws IOException {
        HttpURLConnection connection = connect(uri, "bytes=" + offset + "-" + (offset + count - 1));
        String expected = "bytes " + offset + "-" + (offset + count - 1) + "/" + size;
        if (status(connection) != PARTIAL_CONTENT
                || !expected.equals(connection.getHeaderField("Content-Range"))) {
            connection.disconnect();
            throw new IOException("asked for " + expected + ", got " + connection.getHeaderField("Content-Range"));
        }
        return new Paced(connection.getInputStream());
    }

    private static HttpURLConnection connect(URI uri, String range) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setConnectTimeout(CONNECT_MILLIS);
        connection.setReadTimeout(readMillis);
        if (range != null) {
            connection.setRequestProperty("Range", range);
        }
        if (uri.getUserInfo() != null) {
            connection.setRequestProperty("Authorization", "Basic "
                    + Base64.getEncoder().encodeToString(uri.getUserInfo().getBytes(StandardCharsets.UTF_8)));
        }
        return connection;
    }

    /** 200 or 206; anything else is an error. */
    private static int status(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_OK || status == PARTIAL_CONTENT) {
            return status;
        }
        String hint = switch (status) {
            case -1 -> ", which is none: it is no web server";
            case 301, 302, 303, 307, 308 -> ", which leads to " + MavenRepository.withoutPassword(
                    String.valueOf(connection.getHeaderField("Location")));
            case 401, 403, 407 -> ": it asks for another user or password";
            case 404, 410 -> ": it does not have the file";
            default -> "";
        };
        connection.disconnect();
        throw new HttpStatusException(status, hint);
    }

    /** Ends the reading from a server that sends, but next to nothing. */
    private static final class Paced extends FilterInputStream {
        private long since = System.nanoTime();
        private long bytes;

        Paced(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            count(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            int read = super.read(to, offset, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int read) throws SocketTimeoutException {
            bytes += read;
            long now = System.nanoTime();
            if (now - since > readMillis * 1_000_000L) {
                if (bytes < SLOWEST) {
                    throw new SocketTimeoutException("next to nothing comes");
                }
                since = now;
                bytes = 0;
            }
        }
    }
}
