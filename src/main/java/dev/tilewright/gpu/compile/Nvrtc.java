package dev.tilewright.gpu.compile;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.Progress;
import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.CompilerCrash;
import dev.tilewright.gpu.nvrtc.CompilerStopped;
import dev.tilewright.gpu.nvrtc.ComplaintReport;
import dev.tilewright.gpu.nvrtc.LibNvrtc;
import dev.tilewright.gpu.nvrtc.child.Compilers;
import dev.tilewright.gpu.nvrtc.fetch.EmbeddedNvrtc;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocation;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocator;
import dev.tilewright.gpu.nvrtc.locate.NvrtcRule;
import dev.tilewright.gpu.nvrtc.locate.NvrtcSearch;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The CUDA C++ compiler that was found on this machine: says what it is, what it compiles for, and compiles. It needs
 * no GPU. The library itself is loaded when it is first needed, so that a program whose kernels are all in the cache
 * never loads it. Safe for use by several threads at once, as NVRTC is.
 *
 * <p>It compiles in processes of its own, started when they are needed and kept for a while: some sources make some
 * NVRTC crash, and that costs one kernel then (a {@link CompilationException}), not the application. Property
 * {@code tilewright.nvrtc.process} or variable TILEWRIGHT_NVRTC_PROCESS set to {@code in-process} does without.
 */
public final class Nvrtc {

    private final HostEnvironment environment;
    private final Progress progress;
    private final NvrtcSearch search;
    private final NvrtcLocation location;

    private Compiler library;

    private Nvrtc(HostEnvironment environment, NvrtcSearch search, Progress progress) {
        this.environment = environment;
        this.progress = progress;
        this.search = search;
        this.location = search.found().orElseThrow();
    }

    /**
     * Finds NVRTC on this machine; if there is none, fetches the embedded copy, once for each user.
     *
     * @param progress is told how far the fetching is
     * @throws MissingRequirementException if there is none and none can be fetched, or if TILEWRIGHT_NVRTC names one
     *     that does not work
     * @throws BadRequestException if TILEWRIGHT_NVRTC_EMBEDDED names a release that there is not
     */
    public static Nvrtc find(Progress progress) {
        return find(Map.of(), progress);
    }

    /**
     * Finds NVRTC with settings of the caller's own; else as {@link #find(Progress)}.
     *
     * @param settings values that replace those of system properties: {@code tilewright.nvrtc},
     *     {@code tilewright.nvrtc.embedded}, {@code tilewright.nvrtc.process}, {@code tilewright.maven.repository}
     */
    public static Nvrtc find(Map<String, String> settings, Progress progress) {
        NotNull.entries("settings", settings);
        NotNull.all("progress", progress);
        return find(HostEnvironment.current(settings), progress);
    }

    /**
     * Finds NVRTC, and fetches nothing before the first kernel is compiled; empty if there is none and none can be
     * fetched.
     *
     * @throws MissingRequirementException if TILEWRIGHT_NVRTC names one that does not work
     */
    static Optional<Nvrtc> locate(HostEnvironment environment, Progress progress) {
        NvrtcSearch search = NvrtcLocator.of(environment).locate();
        return search.found().isEmpty() ? Optional.empty() : Optional.of(new Nvrtc(environment, search, progress));
    }

    static Nvrtc find(HostEnvironment environment, Progress progress) {
        return new Nvrtc(environment, NvrtcLocator.of(environment).find(progress), progress);
    }

    /** NVRTC's version, which is its toolkit's: {@code 12.9}. */
    public String version() {
        return location.version().toString();
    }

    /** The newest PTX version that it takes. */
    public PtxVersion ptxVersion() {
        return PtxVersion.ofCuda(location.version().major(), location.version().minor());
    }

    /** The libnvrtc. */
    public Path file() {
        return location.file();
    }

    /** Whether its file is there: what is not, the first compilation fetches. */
    boolean isThere() {
        return location.rule() != NvrtcRule.EMBEDDED || EmbeddedNvrtc.of(environment, location.version()).isReady();
    }

    /** How it was found, and what was passed over before it. */
    NvrtcSearch search() {
        return search;
    }

    /** The part of a cache key that identifies this compiler: its version and its files' sizes. */
    public String identity() {
        return location.identity();
    }

    /**
     * The targets it compiles for, in ascending order. NVRTC lists compute capabilities; each from 9.0 on also has its
     * architecture-specific form ({@code sm_90a}), which it does not list (tried with 12.9 and 13.3).
     *
     * @throws MissingRequirementException if the library cannot be loaded
     */
    public List<Target> supportedTargets() {
        return library().supportedArchitectures().stream()
                .flatMap(number -> {
                    Target plain = Target.of(number / 10, number % 10);
                    Target own = new Target(plain.major(), plain.minor(), Target.Variant.ARCHITECTURE);
                    return plain.major() < 9 ? Stream.of(plain) : Stream.of(plain, own);
                })
                .sorted()
                .toList();
    }

    /**
     * Compiles one kernel's source to device code.
     *
     * @param source CUDA C++
     * @param kernelName names the source in complaints: {@code kernelName.cu(12): error: ...}
     * @param target the architecture that the code is for
     * @param options further NVRTC options, such as {@code --std=c++17}; the architecture is added to them
     * @return a cubin, for the driver to load
     * @throws CompilationException as {@link #compilation}
     * @throws MissingRequirementException if this NVRTC does not know the target, or cannot be loaded
     */
    public byte[] compile(String source, String kernelName, Target target, List<String> options) {
        return compilation(source, kernelName, target, options).cubin();
    }

    /**
     * Compiles one kernel's source to device code; also what the compiler remarked. A compilation in a process of its
     * own ends when it has taken 300 seconds or 4 GiB of memory ({@code tilewright.nvrtc.seconds},
     * {@code tilewright.nvrtc.memory}), and when the calling thread is interrupted.
     *
     * @param source CUDA C++
     * @param kernelName names the source in complaints: {@code kernelName.cu(12): error: ...}
     * @param target the architecture that the code is for
     * @param options further NVRTC options; the architecture is added to them
     * @throws CompilationException if the source does not compile, with the source around each complaint; if NVRTC
     *     crashed, was stopped, or gave no device code, as with {@code -dlto} and {@code --fdevice-syntax-only}
     * @throws IllegalArgumentException if the source, the name or an option has a NUL, where NVRTC would stop reading
     * @throws MissingRequirementException if this NVRTC does not know the target, or cannot be loaded
     */
    public Compilation compilation(String source, String kernelName, Target target, List<String> options) {
        return compiled(source, kernelName, target, options).compilation();
    }

    /**
     * The result of a compilation with its log.
     *
     * @param log all that the compiler said, statistics too where they were asked for
     */
    public record Compiled(Compilation compilation, String log) {
        public Compiled {
            NotNull.all("compilation, log", compilation, log);
        }
    }

    /** Compiles like {@link #compilation}, and returns the whole log too. */
    public Compiled compiled(String source, String kernelName, Target target, List<String> options) {
        NotNull.all("source, kernelName, target, options", source, kernelName, target, options);
        requireNoNul("the source", source, kernelName);
        requireNoNul("the name", kernelName, kernelName);
        options.forEach(option -> requireNoNul("an option", option, kernelName));
        List<Target> known = supportedTargets();
        if (!known.contains(target)) {
            throw new MissingRequirementException("NVRTC " + version() + " (" + file() + ") does not compile for "
                    + target + ", only for " + known.stream().map(Target::toString).collect(Collectors.joining(", ")));
        }
        List<String> all = new ArrayList<>(List.of("--gpu-architecture=" + target));
        all.addAll(options);
        String name = kernelName + ".cu";
        Compiler.Outcome outcome;
        try {
            outcome = library().compile(source, name, all);
        } catch (CompilerCrash e) {
            throw CompilationException.crashed(kernelName, target, options, version(), file(), e);
        } catch (CompilerStopped e) {
            throw CompilationException.stopped(kernelName, target, options, version(), e);
        }
        if (outcome.result() != LibNvrtc.SUCCESS) {
            throw CompilationException.complained(kernelName, target, options, version(), outcome.reason(),
                    outcome.log(),
                    new ComplaintReport(name, source, outcome.ptx()).of(outcome.log()));
        }
        // With this option NVRTC gives a cubin that holds no kernel.
        boolean onlySyntax = options.stream().anyMatch(option -> option.strip().endsWith("-fdevice-syntax-only"));
        if (outcome.cubin().length == 0 || onlySyntax) {
            throw CompilationException.complained(kernelName, target, options, version(), "no device code",
                    outcome.log(),
                    onlySyntax ? "NVRTC checked the syntax of the source and compiled nothing: leave out the option"
                            : "NVRTC took the source and gave no cubin, which is what a driver loads: leave out "
                                    + "options that ask for something else, such as -dlto or another architecture");
        }
        return new Compiled(Compilation.of(outcome.cubin(), outcome.log()), outcome.log());
    }

    private static void requireNoNul(String what, String text, String kernelName) {
        int at = text.indexOf(0);
        if (at >= 0) {
            throw new IllegalArgumentException(what + " of kernel '" + kernelName.replace('\0', ' ')
                    + "' has a NUL at character "
                    + at + " (line " + (1 + text.substring(0, at).chars().filter(c -> c == '\n').count())
                    + "), where NVRTC would stop reading: remove it");
        }
    }

    private synchronized Compiler library() {
        if (library == null) {
            library = Compilers.open(environment, file(), this::check);
        }
        return library;
    }

    /** What came from elsewhere is loaded only if it is, to the byte, what was published. */
    private void check() {
        if (location.rule() == NvrtcRule.EMBEDDED) {
            EmbeddedNvrtc.of(environment, location.version()).requireWhole(progress);
        }
    }

    /** {@code NVRTC 13.0 from /usr/local/cuda/lib64/libnvrtc.so.13}. */
    @Override
    public String toString() {
        return "NVRTC " + location.version() + " from " + location.file();
    }
}
