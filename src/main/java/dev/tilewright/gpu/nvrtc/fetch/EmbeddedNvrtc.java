package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.io.FileProblem;
import dev.tilewright.io.UnfinishedFiles;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The NVRTC that comes from Maven, for machines without a CUDA toolkit: {@code org.bytedeco:cuda-redist}, of whose
 * 350 MB only libnvrtc and its builtins are fetched (43 to 49 MiB) and kept in the user's cache. What arrives is held
 * against a SHA-256 in {@link EmbeddedRelease}, and so is what lies there before a process loads it.
 *
 * <p>Settings: property {@code tilewright.nvrtc.embedded} or variable TILEWRIGHT_NVRTC_EMBEDDED chooses the release
 * (12.9 or 13.3); {@link MavenRepository} says where it comes from. A jar that is in the local Maven repository already
 * is used first.
 */
public final class EmbeddedNvrtc {

    /** How old an unfinished file is when a writer that cannot be looked for is taken for dead. */
    private static final Duration ABANDONED = Duration.ofDays(1);

    private static final WholeFiles WHOLE = new WholeFiles(PinnedFile::isAt, InstantSource.system());

    private final HostEnvironment environment;
    private final EmbeddedRelease release;
    private final Optional<Path> folder;

    /**
     * @param driver the newest CUDA that the driver knows; empty where there is none
     * @throws dev.tilewright.BadRequestException if the settings name a release that there is not
     */
    public EmbeddedNvrtc(HostEnvironment environment, Optional<NvrtcVersion> driver) {
        this(environment, EmbeddedRelease.chosen(environment, driver));
    }

    private EmbeddedNvrtc(HostEnvironment environment, EmbeddedRelease release) {
        this.environment = environment;
        this.release = release;
        this.folder = environment.userCache()
                .map(cache -> cache.resolve("tilewright").resolve("nvrtc").resolve(release.version().toString()));
    }

    /** The embedded copy of this version, which must be one of the known ones. */
    public static EmbeddedNvrtc of(HostEnvironment environment, NvrtcVersion version) {
        return new EmbeddedNvrtc(environment, EmbeddedRelease.of(version));
    }

    public NvrtcVersion version() {
        return release.version();
    }

    /**
     * Where the libnvrtc is, or will be.
     *
     * @throws MissingRequirementException if there can be none, as the user has no home
     */
    public Path file() {
        return folder().resolve(release.library().name());
    }

    private Path folder() {
        return folder.orElseThrow(() -> new MissingRequirementException("the embedded NVRTC has no place to be kept in:"
                + " this user has no home folder; set XDG_CACHE_HOME to a folder of yours, or TILEWRIGHT_NVRTC to a"
                + " libnvrtc.so"));
    }

    /** {@link #file()} for reports, which never fail. */
    public String place() {
        return folder.map(f -> f.resolve(release.library().name()).toString())
                .orElse("no folder: this user has no home");
    }

    /** The repository it would be fetched from, fit to be shown. */
    public String repository() {
        return MavenRepository.of(environment).shown();
    }

    /** How much would be fetched. */
    public int mebibytes() {
        return release.mebibytes();
    }

    /** The libnvrtc's size. */
    public long bytes() {
        return release.library().bytes();
    }

    /** Whether it is there, or may be fetched as far as this machine is concerned. */
    public boolean canBeHad() {
        return environment.isLinuxX86() && folder.isPresent() && TrustedFolder.objection(folder.get()).isEmpty();
    }

    /** Whether both files are in the user's cache already, in a folder that is this user's alone. */
    public boolean isReady() {
        return environment.isLinuxX86() && folder.isPresent() && TrustedFolder.objection(folder.get()).isEmpty()
                && release.files().stream().allMatch(f -> sizeOf(folder.get().resolve(f.name())) == f.bytes());
    }

    /**
     * Sees to it that both files are in the user's cache: fetches them if they are not. Other processes that want them
     * wait.
     *
     * @throws MissingRequirementException if it cannot be had, with what to do about that
     */
    public void obtain(Progress progress) {
        if (!isReady()) {
            requirePlace();
            underLock(place -> {
                if (!isReady()) {
                    unpack(place, progress);
                }
            });
            if (!isReady()) {
                throw new MissingRequirementException("the embedded NVRTC in " + folder()
                        + " was removed or changed while it was being unpacked: run this again");
            }
        }
    }

    /**
     * Sees to it that both files are what was published, to the byte, as they must be when a process loads them: what
     * is damaged is fetched again. Takes a tenth of a second, once in a process while the files do not change.
     *
     * @throws MissingRequirementException as {@link #obtain}
     */
    public void requireWhole(Progress progress) {
        obtain(progress);
        if (!isWhole()) {
            underLock(place -> {
                if (isReady() && !isWhole()) {
                    for (PinnedFile file : release.files()) {
                        Files.deleteIfExists(place.resolve(file.name()));
                    }
                }
            });
            obtain(progress);
        }
    }

    private boolean isWhole() {
        return release.files().stream().allMatch(file -> WHOLE.isAt(file, folder().resolve(file.name())));
    }

    private void requirePlace() {
        if (!environment.isLinuxX86()) {
            throw new MissingRequirementException("the embedded NVRTC is for Linux on x86-64 and this is "
                    + environment.platform()
                    + ": install the CUDA toolkit and set TILEWRIGHT_NVRTC to its NVRTC library");
        }
        TrustedFolder.objection(folder()).ifPresent(why -> {
            throw new MissingRequirementException("the embedded NVRTC is not taken from, or kept in, " + folder() + ": "
                    + why + "; set XDG_CACHE_HOME to a folder of yours, or TILEWRIGHT_NVRTC to a libnvrtc.so");
        });
    }

    private interface Work {
        void in(Path folder) throws IOException;
    }

    private void underLock(Work work) {
        Path place = folder();
        synchronized (EmbeddedNvrtc.class) {
            try {
                TrustedFolder.create(place);
                try (FileChannel channel = FileChannel.open(place.resolve(".lock"),
                                StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock held = channel.lock()) {
                    if (held.isValid()) {
                        work.in(place);
                    }
                }
            } catch (IOException e) {
                throw notKept(place, e);
            } catch (UncheckedIOException e) {
                throw notKept(place, e.getCause());
            }
        }
    }

    private static MissingRequirementException notKept(Path place, IOException problem) {
        return new MissingRequirementException("the embedded NVRTC cannot be kept in " + place + " ("
                + FileProblem.reason(problem)
                + "): set XDG_CACHE_HOME to a folder that can be written, or TILEWRIGHT_NVRTC to a libnvrtc.so",
                problem);
    }

    /** First from the local Maven repository; a jar there that cannot be used counts as none. */
    private void unpack(Path place, Progress progress) {
        UnfinishedFiles.removeFrom(place, ABANDONED);
        Optional<Path> local = environment.localMavenRepository().map(maven -> maven.resolve(release.jarPath()))
                .filter(Files::isRegularFile);
        if (local.isPresent()) {
            try {
                PinnedJar.unpack(local.get().toUri(), release.files(), place, "unpacking NVRTC " + version(), progress);
                return;
            } catch (IOException e) {
                // The repository has the good one.
            }
        }
        MavenRepository.of(environment).fetch(new MavenRepository.Order("NVRTC " + version(), release.jarPath(),
                release.files(), (long) release.mebibytes() << 20), place, progress);
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return -1;
        }
    }
}
