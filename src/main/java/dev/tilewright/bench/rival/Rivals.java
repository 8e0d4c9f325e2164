package dev.tilewright.bench.rival;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.host.NativeLibrary;
import dev.tilewright.gpu.host.Programs;
import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.process.LineProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.io.FileUtils;

/**
 * The rivals in CUDA C++, compiled where there is nvcc: their sources come out of the jar and are compiled once for
 * each set of sources, nvcc and kind of GPU, into {@code tilewright/rivals} below {@code $XDG_CACHE_HOME} or {@code
 * ~/.cache}. Other processes that want them at the same time wait.
 */
public final class Rivals {
    private static final Pattern STEP = Pattern.compile("(\\d+) of (\\d+)");
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int KEPT_LINES = 40;

    private final HostEnvironment environment;
    private final RivalSources sources;
    private final boolean needsDriver;
    private Path folder;
    private String absence;

    /** The rivals of this jar, for this machine. @throws MissingRequirementException if the jar has none */
    public Rivals() {
        this(HostEnvironment.current(), RivalSources.packed(), true);
    }

    /** @param needsDriver whether it is a reason not to compile them that there is no driver to run them on */
    Rivals(HostEnvironment environment, RivalSources sources, boolean needsDriver) {
        this.environment = environment;
        this.sources = sources;
        this.needsDriver = needsDriver;
    }

    /**
     * Compiles them if they are not there, which takes about 20 seconds on 16 cores.
     *
     * @return the folder that they are in
     * @throws MissingRequirementException if they cannot be had here, with the reason; the same one when asked again
     */
    public Path obtain(Progress progress) {
        Objects.requireNonNull(progress, "progress");
        if (absence != null) {
            throw new MissingRequirementException(absence);
        }
        try {
            if (folder == null) {
                folder = find(progress);
            }
            return folder;
        } catch (MissingRequirementException e) {
            absence = e.getMessage();
            throw e;
        }
    }

    private Path find(Progress progress) {
        Path nvcc = Programs.nvcc(environment).orElseThrow(() -> new MissingRequirementException("no nvcc below"
                + " CUDA_HOME, on the PATH or in /usr/local/cuda/bin: the rivals in CUDA C++ are compiled by it"));
        if (needsDriver) {
            try {
                NativeLibrary.open("libcuda.so.1");
            } catch (MissingRequirementException e) {
                throw new MissingRequirementException("the rivals in CUDA C++ need the driver: " + e.getMessage(), e);
            }
        }
        String version = Tools.output(List.of(nvcc.toString(), "--version")).orElseThrow(() ->
                new MissingRequirementException(nvcc + " --version fails: the rivals in CUDA C++ are compiled by it"));
        String capability = Tools.output(List.of("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"))
                .map(text -> text.lines().findFirst().orElse("").replace(".", ""))
                .filter(text -> text.matches("\\d{2,3}"))
                .orElse("");
        Path cache = environment.userCache().orElseThrow(() -> new MissingRequirementException("the rivals in CUDA"
                + " C++ have"
                + " no place to be kept in: this user has no home folder; set XDG_CACHE_HOME to a folder of yours"))
                .resolve("tilewright").resolve("rivals");
        TrustedFolder.objection(cache).ifPresent(why -> {
            throw new MissingRequirementException("the rivals in CUDA C++ are not kept in, or run from, " + cache
                    + ": " + why + "; set XDG_CACHE_HOME to a folder of yours");
        });
        Path place = cache.resolve(sources.hash(version, capability).substring(0, 16));
        if (!isWhole(place)) {
            build(cache, place, nvcc, capability, progress);
        }
        return place;
    }

    /** What is there under this name was renamed when it was finished. */
    private static boolean isWhole(Path place) {
        return Files.isDirectory(place);
    }

    private void build(Path cache, Path place, Path nvcc, String capability, Progress progress) {
        try {
            TrustedFolder.create(cache);
            try (FileChannel channel = FileChannel.open(cache.resolve(".lock"), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE); FileLock held = channel.lock()) {
                if (!held.isValid() || isWhole(place)) {
                    return;
                }
                Path unfinished = Files.createTempDirectory(cache, ".unfinished-");
                try {
                    Path script = unfinished.resolve("sources").resolve("build");
                    sources.unpack(script.getParent());
                    Path built = unfinished.resolve("built");
                    run(List.of("bash", script.toString(), built.toString(), capability), nvcc, progress);
                    Files.move(built, place, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    FileUtils.deleteQuietly(unfinished.toFile());
                }
            }
        } catch (IOException e) {
            throw new MissingRequirementException("the rivals in CUDA C++ cannot be compiled in " + cache + " ("
                    + e.getMessage() + "): set XDG_CACHE_HOME to a folder that can be written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MissingRequirementException("the compilation of the rivals in CUDA C++ was interrupted", e);
        }
    }

    private void run(List<String> command, Path nvcc, Progress progress) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().merge("PATH", nvcc.getParent().toString(), (path, first) -> first + ":" + path);
        Deque<String> said = new ArrayDeque<>();
        try (LineProcess process = new LineProcess(builder)) {
            boolean ended = process.readAll(LIMIT, line -> {
                Matcher step = STEP.matcher(line);
                if (step.matches()) {
                    progress.at("compiling the rivals in CUDA C++", Long.parseLong(step.group(1)),
                            Long.parseLong(step.group(2)));
                } else {
                    said.add(line);
                    if (said.size() > KEPT_LINES) {
                        said.removeFirst();
                    }
                }
            });
            OptionalInt code = ended ? process.exitCode() : OptionalInt.empty();
            if (code.orElse(-1) != 0) {
                throw new MissingRequirementException(nvcc + " cannot compile the rivals in CUDA C++ ("
                        + (code.isPresent() ? "exit code " + code.getAsInt() : "no end within " + LIMIT.toMinutes()
                        + " minutes") + "): " + said.stream().filter(line -> line.contains("error")).findFirst()
                                .orElse(said.stream().collect(Collectors.joining(" "))));
            }
        }
    }
}
