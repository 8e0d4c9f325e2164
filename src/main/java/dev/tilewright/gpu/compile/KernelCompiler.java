package dev.tilewright.gpu.compile;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.Progress;
import dev.tilewright.gpu.cache.KernelCache;
import dev.tilewright.gpu.cache.KnownCompiler;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.gpu.trace.Log;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.gpu.trace.WatchedSpan;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The compiler and its cache as one: what a launcher asks for device code. A kernel that is in the cache costs no
 * loading of NVRTC, nor fetching it; where none is installed, one that any compiler put there will do. Safe for use by
 * several threads at once.
 */
public final class KernelCompiler {
    /** Options for every tile program: no contraction, so that arithmetic has the reference's bits. */
    public static final List<String> OPTIONS = List.of("--fmad=false");

    private final Optional<Nvrtc> nvrtc;
    private final Supplier<Nvrtc> otherwise;
    private final KernelCache cache;
    /** Compiles what the cache does not have, before a compiler of this machine is asked; null for none. */
    private final RemoteCompiler remote;
    private final Consumer<String> warnings;
    private final AtomicBoolean warned = new AtomicBoolean();

    /** A kernel's source, which may depend on what the compiler takes. */
    public interface Source {
        /**
         * The source for a compiler.
         *
         * @param compiler the compiler in words
         * @throws MissingRequirementException if the kernel needs more of it
         */
        String of(PtxVersion version, String compiler);
    }

    /**
     * @param nvrtc compiles what the cache does not have
     * @param cache keeps what was compiled
     */
    KernelCompiler(Nvrtc nvrtc, KernelCache cache) {
        this(Optional.of(nvrtc), () -> nvrtc, cache);
    }

    /**
     * @param nvrtc what was located; it may have to be fetched
     * @param otherwise finds another, or says why there is none
     */
    KernelCompiler(Optional<Nvrtc> nvrtc, Supplier<Nvrtc> otherwise, KernelCache cache) {
        this(nvrtc, otherwise, cache, null, _ -> { });
    }

    private KernelCompiler(Optional<Nvrtc> nvrtc, Supplier<Nvrtc> otherwise, KernelCache cache, RemoteCompiler remote,
            Consumer<String> warnings) {
        this.nvrtc = nvrtc;
        this.otherwise = otherwise;
        this.cache = cache;
        this.remote = remote;
        this.warnings = warnings;
    }

    /**
     * A compiler that keeps kernels in the user's cache: below TILEWRIGHT_CACHE, else in the user's cache folder.
     *
     * @param warnings is told, at most once, that kernels cannot be kept, and why
     */
    public static KernelCompiler cachingForUser(Nvrtc nvrtc, Consumer<String> warnings) {
        NotNull.all("nvrtc, warnings", nvrtc, warnings);
        return new KernelCompiler(nvrtc, KernelCache.ofUser(HostEnvironment.current(), warnings));
    }

    /**
     * A compiler that keeps kernels in the user's cache and uses the NVRTC of this machine. That is not even fetched,
     * where it has to be, before a kernel is compiled that the cache does not have.
     *
     * @param progress is told how far the fetching is
     * @param warnings is told, at most once, that kernels cannot be kept, and why
     * @throws MissingRequirementException if TILEWRIGHT_NVRTC names an NVRTC that does not work
     */
    public static KernelCompiler cachingForUser(Progress progress, Consumer<String> warnings) {
        NotNull.all("progress, warnings", progress, warnings);
        return cachingForUser(HostEnvironment.current(), progress, warnings);
    }

    /**
     * A compiler that keeps kernels in the user's cache and lets another process compile the missing ones. Where that
     * fails, it is said once, and kernels are compiled by the NVRTC of this machine.
     *
     * @param remote the other process
     * @param warnings is told, at most once each, that kernels cannot be kept, and that the other process fails
     */
    public static KernelCompiler compiledBy(RemoteCompiler remote, Consumer<String> warnings) {
        NotNull.all("remote, warnings", remote, warnings);
        return compiledBy(remote, HostEnvironment.current(), warnings);
    }

    static KernelCompiler compiledBy(RemoteCompiler remote, HostEnvironment environment, Consumer<String> warnings) {
        return new KernelCompiler(Optional.empty(), () -> Nvrtc.find(environment, Progress.NONE),
                KernelCache.ofUser(environment, warnings), remote, warnings);
    }

    static KernelCompiler cachingForUser(HostEnvironment environment, Progress progress, Consumer<String> warnings) {
        return new KernelCompiler(Nvrtc.locate(environment, progress), () -> Nvrtc.find(environment, progress),
                KernelCache.ofUser(environment, warnings));
    }

    /**
     * The NVRTC that compiles.
     *
     * @throws MissingRequirementException if there is nothing
     */
    public Nvrtc nvrtc() {
        return nvrtc.orElseGet(otherwise);
    }

    /** Makes the cache ready for the first look-up. */
    public void open() {
        cache.open();
    }

    /** The cache's contents, and the hits and misses of this compiler's look-ups. */
    public KernelCacheStats cache() {
        return KernelCacheStats.of(cache.stats());
    }

    /**
     * A kernel's device code, from the cache or compiled now.
     *
     * @param source CUDA C++
     * @param kernelName names the source in complaints
     * @param target the architecture that the code is for
     * @param options further NVRTC options
     * @throws CompilationException if the source does not compile
     * @throws dev.tilewright.MissingRequirementException if NVRTC does not know the target, or cannot be loaded
     */
    public byte[] cubin(String source, String kernelName, Target target, List<String> options) {
        NotNull.all("source, kernelName, target, options", source, kernelName, target, options);
        return compilation(source, kernelName, target, options).cubin();
    }

    /** A kernel's device code and what the compiler remarked, now or when it compiled what the cache has. */
    public Compilation compilation(String source, String kernelName, Target target, List<String> options) {
        NotNull.all("source, kernelName, target, options", source, kernelName, target, options);
        return compilation((_, _) -> source, kernelName, target, options);
    }

    /** The compilation to load on a GPU; the compiler's remarks are logged as warnings. */
    public Compilation loaded(Source source, String kernelName, Target target, List<String> options) {
        NotNull.all("source, kernelName, target, options", source, kernelName, target, options);
        Compilation made = compilation(source, kernelName, target, options);
        made.remarks().forEach(remark -> Log.warning("kernel '" + kernelName + "' for " + target + ": " + remark));
        return made;
    }

    private Compilation compilation(Source source, String kernelName, Target target, List<String> options) {
        if (remote != null) {
            Optional<Compilation> made = remote(source, kernelName, target, options);
            if (made.isPresent()) {
                return made.get();
            }
        }
        if (nvrtc.isEmpty() || !nvrtc.get().isThere()) {
            Optional<byte[]> kept = kept(source, target, options);
            if (kept.isPresent()) {
                return Compilation.unpacked(kept.get());
            }
        }
        Nvrtc compiler = nvrtc();
        String text = source.of(compiler.ptxVersion(), "NVRTC " + compiler.version() + " (" + compiler.file() + ")");
        String key = KernelCache.key(text, options, target, compiler.identity());
        return Compilation.unpacked(cache.cubin(key, () -> {
            Compilation made = compile(compiler, text, kernelName, target, options);
            cache.remember(new KnownCompiler(compiler.version(), compiler.identity()));
            return made.packed();
        }));
    }

    /** What the other process makes of it, or made when it was first asked; nothing where it fails. */
    private Optional<Compilation> remote(Source source, String kernelName, Target target, List<String> options) {
        try {
            String text = source.of(version(remote.version()), "NVRTC " + remote.version() + " of another process");
            String key = KernelCache.key(text, options, target, remote.identity());
            return Optional.of(Compilation.unpacked(cache.cubin(key, () -> {
                Compilation made = remote.compile(text, kernelName, target, options);
                cache.remember(new KnownCompiler(remote.version(), remote.identity()));
                return made.packed();
            })));
        } catch (RuntimeException e) {
            if (warned.compareAndSet(false, true)) {
                warnings.accept("kernel '" + kernelName + "' is compiled here, as the process that compiles kernels "
                        + "did not: " + e.getMessage());
            }
            return Optional.empty();
        }
    }

    private static PtxVersion version(String nvrtc) {
        NvrtcVersion version = NvrtcVersion.parse(nvrtc);
        return PtxVersion.ofCuda(version.major(), version.minor());
    }

    private static Compilation compile(Nvrtc compiler, String source, String kernelName, Target target,
            List<String> options) {
        long begin = System.nanoTime();
        try (WatchedSpan span = Trace.compile(kernelName, target.toString(), source.length())) {
            Compilation made = compiler.compilation(source, kernelName, target, options);
            span.bytes(made.cubin().length);
            long milliseconds = (System.nanoTime() - begin) / 1_000_000;
            Log.debug(() -> "compiled kernel '" + kernelName + "' for " + target + " in " + milliseconds + " ms: "
                    + made.cubin().length + " bytes");
            return made;
        }
    }

    /** What a compiler that is not here has made of it. */
    private Optional<byte[]> kept(Source source, Target target, List<String> options) {
        for (KnownCompiler known : cache.compilers()) {
            try {
                String text = source.of(version(known.version()), "NVRTC " + known.version());
                Optional<byte[]> cubin = cache.find(KernelCache.key(text, options, target, known.identity()));
                if (cubin.isPresent()) {
                    return cubin;
                }
            } catch (MissingRequirementException e) {
                // It could not have compiled this kernel.
            }
        }
        return Optional.empty();
    }

    /** {@code compiler of kernels: NVRTC 13.0}. */
    @Override
    public String toString() {
        return "compiler of kernels: " + nvrtc.map(Nvrtc::toString).orElse("NVRTC, found when it is needed");
    }
}
