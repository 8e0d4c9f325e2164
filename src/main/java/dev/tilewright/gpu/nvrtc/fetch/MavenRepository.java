package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.io.FileProblem;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.apache.commons.lang3.StringUtils;

/**
 * Where the embedded NVRTC is fetched from: Maven Central, or the mirror that property
 * {@code tilewright.maven.repository} or variable TILEWRIGHT_MAVEN_REPOSITORY names. That is an address of scheme http
 * or https, which may contain a user and a password, or of scheme file, or a folder.
 */
record MavenRepository(String base, long pause) {
    private static final String CENTRAL = "https://repo1.maven.org/maven2";
    private static final int TRIES = 3;

    /** Before the second try, in milliseconds; before the third it is four times as long. */
    private static final long PAUSE = 1_000;

    static MavenRepository of(HostEnvironment environment) {
        return new MavenRepository(environment.setting("tilewright.maven.repository", "TILEWRIGHT_MAVEN_REPOSITORY")
                .map(HostEnvironment.Setting::value).orElse(CENTRAL), PAUSE);
    }

    /** The repository, without a password. */
    String shown() {
        return base.replaceAll("(?is)^([a-z][a-z0-9+.-]*:/*).*@", "$1***@");
    }

    /** A text in which addresses keep nothing of a user and a password. */
    static String withoutPassword(String text) {
        return text.replaceAll("(?i)([a-z][a-z0-9+.-]*:/*)\\S*@", "$1***@");
    }

    /**
     * What is to be fetched.
     *
     * @param name what people are told that it is: {@code NVRTC 13.3}
     * @param jar its jar's path in a repository
     * @param files those of the jar that are wanted
     * @param bytes about how many bytes of the jar they are
     */
    record Order(String name, String jar, List<PinnedFile> files, long bytes) { }

    /**
     * Fetches files; what may pass is tried again.
     *
     * @throws BadRequestException if the repository is no address and no folder
     * @throws MissingRequirementException if they cannot be had, with what to do about that
     * @throws java.io.UncheckedIOException if the folder cannot be written
     */
    void fetch(Order order, Path folder, Progress progress) {
        URI jar = jar(order.jar);
        String what = "fetching " + order.name;
        String tried = "";
        for (int attempt = 1; ; attempt++) {
            try {
                // Said before anything has come: a server may take its time.
                progress.at(what + tried, 0, order.bytes);
                PinnedJar.unpack(jar, order.files, folder, what + tried, progress);
                return;
            } catch (IOException e) {
                if (attempt == TRIES || !mayPass(e) || !pause(attempt)) {
                    throw new MissingRequirementException("the embedded " + order.name
                            + " cannot be fetched from " + withoutPassword(jar.toString()) + " (" + reason(e)
                            + (attempt > 1 ? ", tried " + attempt + " times" : "")
                            + "): install the CUDA toolkit, set TILEWRIGHT_NVRTC to a libnvrtc.so,"
                            + " or set TILEWRIGHT_MAVEN_REPOSITORY to a Maven mirror that this machine reaches", e);
                }
                tried = ", try " + (attempt + 1) + " of " + TRIES + " (" + reason(e) + ")";
            }
        }
    }

    /** Whether to go on. */
    private boolean pause(int attempt) {
        try {
            Thread.sleep(attempt == 1 ? pause : 4 * pause);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether asking again may help: not where the answer was that the file, or the server, is not there. */
    private static boolean mayPass(IOException failure) {
        return switch (failure) {
            case HttpStatusException e -> e.mayPass();
            case NoSuchFileException _, UnknownHostException _, DamagedException _ -> false;
            default -> true;
        };
    }

    private static String reason(IOException e) {
        return switch (e) {
            case UnknownHostException _ -> "there is no host " + e.getMessage();
            case ConnectException _ -> "no connection: " + StringUtils.uncapitalize(e.getMessage());
            case SocketTimeoutException _ -> "no answer for " + HttpRanges.readMillis / 1000 + " s";
            case SSLException _ -> "no secure connection: " + e.getMessage();
            default -> withoutPassword(FileProblem.reason(e));
        };
    }

    private URI jar(String path) {
        try {
            URI uri = address().orElseGet(() -> Path.of(base).toAbsolutePath().toUri());
            String text = uri.toString();
            return URI.create(text + (text.endsWith("/") ? "" : "/") + path);
        } catch (IllegalArgumentException e) {
            // Not with the cause, which quotes the address.
            throw new BadRequestException("the Maven repository '" + shown() + "' is no address and no folder");
        }
    }

    /** Empty if it is a folder. */
    private Optional<URI> address() {
        if (!base.matches("(?i)[a-z][a-z0-9+.-]+:.*")) {
            return Optional.empty();
        }
        URI uri = URI.create(base);
        boolean server = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        if (server && uri.getHost() != null) {
            return Optional.of(uri);
        }
        if ("file".equalsIgnoreCase(uri.getScheme())) {
            return Optional.of(Path.of(uri).toUri());
        }
        throw new IllegalArgumentException(shown());
    }
}
