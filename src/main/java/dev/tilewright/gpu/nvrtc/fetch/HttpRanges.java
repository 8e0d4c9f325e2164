package dev.tilewright.gpu.nvrtc.fetch;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file on a web server that honours Range requests (RFC 9110, section 14). HttpURLConnection rather than
 * java.net.http, because it can bound the wait for each read: a mirror that stalls becomes an error.
 */
final class HttpRanges implements ByteRanges {

    private static final int PARTIAL_CONTENT = 206;
    private static final int CONNECT_MILLIS = 15_000;
    private static final int READ_MILLIS = 60_000;
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");

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
            if (status(connection, uri) != PARTIAL_CONTENT) {
                return Optional.empty();
            }
            Matcher range = CONTENT_RANGE.matcher(String.valueOf(connection.getHeaderField("Content-Range")));
            return range.matches() ? Optional.of(new HttpRanges(uri, Long.parseLong(range.group(3))))
                    : Optional.empty();
        } finally {
            connection.disconnect();
        }
    }

    /** The whole of a file, with its size or -1. */
    record Whole(InputStream content, long size) { }

    /** Opens a whole file. The caller closes the stream. */
    static Whole whole(URI uri) throws IOException {
        HttpURLConnection connection = connect(uri, null);
        status(connection, uri);
        return new Whole(connection.getInputStream(), connection.getContentLengthLong());
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public InputStream open(long offset, long count) throws IOException {
        HttpURLConnection connection = connect(uri, "bytes=" + offset + "-" + (offset + count - 1));
        String expected = "bytes " + offset + "-" + (offset + count - 1) + "/" + size;
        if (status(connection, uri) != PARTIAL_CONTENT
                || !expected.equals(connection.getHeaderField("Content-Range"))) {
            connection.disconnect();
            throw new IOException("asked for " + expected + " of " + uri + ", got "
                    + connection.getHeaderField("Content-Range"));
        }
        return connection.getInputStream();
    }

    private static HttpURLConnection connect(URI uri, String range) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setConnectTimeout(CONNECT_MILLIS);
        connection.setReadTimeout(READ_MILLIS);
        if (range != null) {
            connection.setRequestProperty("Range", range);
        }
        return connection;
    }

    /** 200 or 206; anything else is an error. */
    private static int status(HttpURLConnection connection, URI uri) throws IOException {
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_OK || status == PARTIAL_CONTENT) {
            return status;
        }
        connection.disconnect();
        throw new FileNotFoundException("HTTP status " + status + " for " + uri);
    }
}
