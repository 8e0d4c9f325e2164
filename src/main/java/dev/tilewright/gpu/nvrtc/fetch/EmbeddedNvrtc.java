package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.host.HostEnvironment;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The NVRTC that comes from Maven, for machines without a CUDA toolkit: {@code org.bytedeco:cuda-redist}, of whose
 * 350 MB only libnvrtc and its builtins are fetched (45 MB) and kept in the user's cache. What arrives is held against
 * a SHA-256 in {@link EmbeddedRelease} before anything can load it.
 *
 * <p>Settings: property {@code tilewright.nvrtc.embedded} or variable TILEWRIGHT_NVRTC_EMBEDDED chooses the release
 * (12.9 or 13.3); property {@code tilewright.maven.repository} or variable TILEWRIGHT_MAVEN_REPOSITORY names a mirror
 * (http, https, file, or a folder). A jar that is in the local Maven repository already is used first.
 */
public final class EmbeddedNvrtc {

    private static final String CENTRAL = "https://repo1.maven.org/maven2";
    private static final int TRIES = 3;

    private final HostEnvironment environment;
    private final EmbeddedRelease release;
    private final Path folder;

    /** @throws BadRequestException if the settings name a release that there is not */
    public EmbeddedNvrtc(HostEnvironment environment) {
        this.environment = environment;
        this.release = EmbeddedRelease.chosen(environment);
        this.folder = environment.userCache().resolve("tilewright").resolve("nvrtc")
                .resolve(release.version().toString());
    }

    public NvrtcVersion version() {
        return release.version();
    }

    /** Where the libnvrtc is, or will be. */
    public Path file() {
        return folder.resolve(release.library().name());
    }

    /** The repository it would be fetched from. */
    public String repository() {
        return environment.setting("tilewright.maven.repository", "TILEWRIGHT_MAVEN_REPOSITORY")
                .map(HostEnvironment.Setting::value).orElse(CENTRAL);
    }

    /** The libnvrtc's size. */
    public long bytes() {
        return release.library().bytes();
    }

    /** Whether both files are in the user's cache already. */
    public boolean isReady() {
        return environment.isLinuxX86()
                && release.files().stream().allMatch(f -> sizeOf(folder.resolve(f.name())) == f.bytes());
    }

    /**
     * Sees to it that both files are in the user's cache: fetches them if they are not. Other processes that want them
     * wait.
     *
     * @throws MissingRequirementException if it cannot be had, with what to do about that
     */
    public void obtain(Progress progress) {
        if (isReady()) {
            return;
        }
        if (!environment.isLinuxX86()) {
            throw new MissingRequirementException("the embedded NVRTC is for Linux on x86-64 and this is "
                    + environment.platform()
                    + ": install the CUDA toolkit and set TILEWRIGHT_NVRTC to its NVRTC library");
        }
        synchronized (EmbeddedNvrtc.class) {
            try {
                Files.createDirectories(folder);
                try (FileChannel channel = FileChannel.open(folder.resolve(".lock"),
                                StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock held = channel.lock()) {
                    if (held.isValid() && !isReady()) {
                        unpack(progress);
                    }
                }
            } catch (IOException | UncheckedIOException e) {
                throw new MissingRequirementException("the embedded NVRTC cannot be kept in " + folder + " (" + e
                        + "): set XDG_CACHE_HOME to a folder that can be written, or TILEWRIGHT_NVRTC to a libnvrtc.so",
                        e);
            }
        }
        if (!isReady()) {
            throw new MissingRequirementException("the embedded NVRTC in " + folder
                    + " was removed or changed while it was being unpacked: run this again");
        }
    }

    /** First from the local Maven repository; a jar there that cannot be used counts as none. */
    private void unpack(Progress progress) {
        Path local = environment.localMavenRepository().resolve(release.jarPath());
        if (Files.isRegularFile(local)) {
            try {
                PinnedJar.unpack(local.toUri(), release.files(), folder, "unpacking NVRTC " + version(), progress);
                return;
            } catch (IOException e) {
                // The repository has the good one.
            }
        }
        URI jar = remoteJar();
        for (int attempt = 1; ; attempt++) {
            try {
                PinnedJar.unpack(jar, release.files(), folder, "fetching NVRTC " + version(), progress);
                return;
            } catch (IOException e) {
                if (attempt == TRIES || !mayPass(e)) {
                    throw new MissingRequirementException("the embedded NVRTC " + version() + " cannot be fetched from "
                            + jar + " (" + e + "): install the CUDA toolkit, set TILEWRIGHT_NVRTC to a libnvrtc.so,"
                            + " or set TILEWRIGHT_MAVEN_REPOSITORY to a Maven mirror that this machine reaches", e);
                }
            }
        }
    }

    /** Whether asking again may help: not where the answer was that the file, or the server, is not there. */
    private static boolean mayPass(IOException failure) {
        return !(failure instanceof FileNotFoundException
                || failure instanceof NoSuchFileException
                || failure instanceof UnknownHostException);
    }

    private URI remoteJar() {
        String base = repository();
        try {
            return jarBelow(base);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("the Maven repository '" + base + "' is no address and no folder", e);
        }
    }

    private URI jarBelow(String base) {
        URI uri = base.matches("(?i)(https?|file):.*") ? URI.create(base) : Path.of(base).toAbsolutePath().toUri();
        String text = uri.toString();
        return URI.create(text + (text.endsWith("/") ? "" : "/") + release.jarPath());
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return -1;
        }
    }
}
