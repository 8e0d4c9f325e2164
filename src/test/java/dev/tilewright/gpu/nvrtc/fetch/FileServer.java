package dev.tilewright.gpu.nvrtc.fetch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A web server on this machine that serves byte arrays, with Range requests or without, and can break off. */
final class FileServer implements AutoCloseable {

    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

    final Map<String, byte[]> files = new ConcurrentHashMap<>();
    final List<String> requests = new CopyOnWriteArrayList<>();

    /** Bytes of the bodies sent so far. */
    volatile long sent;

    /** How many of the next answers longer than 1,000 bytes break off near the beginning. */
    volatile int breaks;

    private final boolean ranges;
    private final HttpServer server;

    FileServer(boolean ranges) throws IOException {
        this.ranges = ranges;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String range = exchange.getRequestHeaders().getFirst("Range");
            requests.add(exchange.getRequestURI() + (range == null ? "" : " " + range));
            byte[] file = files.get(exchange.getRequestURI().getPath());
            if (file == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            Matcher m = RANGE.matcher(String.valueOf(range));
            byte[] body = file;
            int status = 200;
            if (ranges && m.matches()) {
                int from = Integer.parseInt(m.group(1));
                int to = Math.min(Integer.parseInt(m.group(2)), file.length - 1);
                body = Arrays.copyOfRange(file, from, to + 1);
                status = 206;
                exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + to + "/" + file.length);
            }
            exchange.sendResponseHeaders(status, body.length);
            if (body.length > 1_000 && breaks > 0) {
                breaks--;
                exchange.getResponseBody().write(body, 0, body.length / 50);
                return;
            }
            exchange.getResponseBody().write(body);
            sent += body.length;
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
