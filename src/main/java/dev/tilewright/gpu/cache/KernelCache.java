package dev.tilewright.gpu.cache;

import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.gpu.trace.Log;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.gpu.trace.WatchedSpan;
import dev.tilewright.io.FileProblem;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Compiled kernels on disk, so that each is compiled once for each compiler and target. An entry's name is a SHA-256
 * over source, options, target and compiler; its content is signed together with that name (HMAC-SHA-256, see {@link
 * CacheEntry}) and checked whenever it is read. Entries are whole or absent (written under another name, then renamed),
 * and removed from the least recently used on when they outgrow the limit. Any number of threads and processes may
 * share a folder; if several want the same kernel at once, one compiles it and the others wait.
 *
 * <p>A cache never stops a kernel from being compiled: a folder that cannot be written, or that others can write, is
 * said once, and an entry that is damaged or was not written by this user is compiled anew and replaced.
 */
public final class KernelCache {

    /** What a cache holds before it removes entries, in bytes: 256 MiB. */
    public static final long DEFAULT_LIMIT = 256L << 20;

    /** Where nothing is kept: in no folder, whose limit is 0. */
    private static final Path NOWHERE = Path.of("");

    private final CacheFolder folder;
    private final Consumer<String> warnings;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicBoolean trusted = new AtomicBoolean();
    private final ConcurrentMap<String, Object> compiling = new ConcurrentHashMap<>();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder damaged = new LongAdder();

    /**
     * What a cache holds, and what this object saw.
     *
     * @param folder where it is
     * @param entries kernels in it now
     * @param bytes their size
     * @param limit bytes it may hold
     * @param hits kernels that this object found
     * @param misses kernels that this object had compiled
     * @param damaged entries that this object could not use, and replaced; each is a miss too
     * @param allHits kernels that all processes found in the folder since it was emptied
     * @param allMisses kernels that all processes had compiled since
     */
    public record Stats(Path folder, long entries, long bytes, long limit, long hits, long misses, long damaged,
            long allHits, long allMisses) { }

    /**
     * @param folder made when the first kernel is stored
     * @param limit bytes to hold at most; one kernel larger than that is not kept
     * @param warnings is told, at most once, that kernels cannot be kept, and why
     */
    public KernelCache(Path folder, long limit, Consumer<String> warnings) {
        if (limit < 0) {
            throw new IllegalArgumentException("a cache cannot hold " + limit + " bytes");
        }
        this.folder = new CacheFolder(folder, limit);
        this.warnings = warnings;
    }

    /**
     * The user's cache: {@code tilewright/kernels} below $TILEWRIGHT_CACHE, else below $XDG_CACHE_HOME, else below
     * {@code ~/.cache}.
     */
    public static KernelCache ofUser(HostEnvironment environment, Consumer<String> warnings) {
        return environment.kernelCacheRoot()
                .map(root -> new KernelCache(root.resolve("tilewright").resolve("kernels"), DEFAULT_LIMIT, warnings))
                .orElseGet(() -> new KernelCache(NOWHERE, 0, warnings));
    }

    /** Why no kernels are kept, or taken, where they would be; empty if they are. */
    public Optional<String> objection() {
        if (isNowhere()) {
            return Optional.of("compiled kernels are kept nowhere: this user has no home folder");
        }
        return TrustedFolder.objection(folder.path())
                .map(why -> "the kernel cache " + folder.path() + " is not used: " + why);
    }

    /** Whether there is no folder; the path that says so would be the working folder's. */
    private boolean isNowhere() {
        return folder.path().equals(NOWHERE);
    }

    private boolean isTrusted() {
        if (trusted.get()) {
            return true;
        }
        Optional<String> objection = objection();
        objection.ifPresent(this::warn);
        // What is not there yet may be another's when it is.
        trusted.set(objection.isEmpty() && Files.isDirectory(folder.path()));
        return objection.isEmpty();
    }

    private void warn(String warning) {
        if (warned.compareAndSet(false, true)) {
            warnings.accept(warning);
        }
    }

    /**
     * The key of a compilation: a SHA-256 over everything that the cubin depends on.
     *
     * @param compiler identifies the compiler: its version and size
     */
    public static String key(String source, List<String> options, Target target, String compiler) {
        MessageDigest digest = Hmac.sha256();
        add(digest, compiler);
        add(digest, target.toString());
        add(digest, source);
        for (String option : options) {
            add(digest, option);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Preceded by its length, so that no two lists run together into the same bytes. */
    private static void add(MessageDigest digest, String field) {
        byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(bytes.length).flip());
        digest.update(bytes);
    }

    /**
     * The kernel of this key, compiled if it is not here. Threads and processes that want the same one at once take
     * turns, so that all but the first find it. What the compiler throws comes out as it is.
     */
    public byte[] cubin(String key, Supplier<byte[]> compiler) {
        Optional<byte[]> known = watchedLookUp(key);
        return known.isPresent() ? known.get() : compileOnce(key, compiler);
    }

    /** Does ahead what the first look-up would: looks whether the folder may be used, and loads what checks entries. */
    public void open() {
        if (!isNowhere() && isTrusted()) {
            byte[] nothing = new byte[0];
            CacheKey.read(folder.path()).ifPresent(secret -> Hmac.of(secret, nothing, nothing, 0, 0));
        }
    }

    /** The kernel of this key, if it is here. */
    public Optional<byte[]> find(String key) {
        return watchedLookUp(key);
    }

    /** Notes that kernels of this compiler are here, and what stands for it in their keys. */
    public void remember(KnownCompiler compiler) {
        if (folder.limit() > 0 && isTrusted() && Files.isDirectory(folder.path())) {
            try {
                folder.compilers().add(compiler);
            } catch (IOException e) {
                // Another start, where the compiler is not there any more, will not find them.
            }
        }
    }

    /** The compilers of which kernels are here, the latest first. */
    public List<KnownCompiler> compilers() {
        return !isNowhere() && isTrusted() ? folder.compilers().list() : List.of();
    }

    /** What is in the folder now, and what came of this object's look-ups. */
    public Stats stats() {
        CacheFolder.Contents now = isNowhere() ? new CacheFolder.Contents(List.of(), 0) : folder.contents();
        return new Stats(folder.path(), now.entries().size(), now.bytes(), folder.limit(),
                hits.sum(), misses.sum(), damaged.sum(), isNowhere() ? 0 : folder.hits().get(),
                isNowhere() ? 0 : folder.misses().get());
    }

    /**
     * Removes every kernel, and nothing else that may lie in the folder.
     *
     * @return how many bytes were freed
     * @throws IOException if an entry cannot be removed
     */
    public long clear() throws IOException {
        return isNowhere() ? 0 : folder.clear();
    }

    private byte[] compileOnce(String key, Supplier<byte[]> compiler) {
        Object turn = compiling.computeIfAbsent(key, k -> new Object());
        synchronized (turn) {
            try {
                return compileAlone(key, compiler);
            } finally {
                compiling.remove(key, turn);
            }
        }
    }

    /** This process's only thread with this key. */
    private byte[] compileAlone(String key, Supplier<byte[]> compiler) {
        if (!isUsable()) {
            misses.increment();
            return compiler.get();
        }
        try (CompileLock _ = CompileLock.of(folder.path(), key)) {
            Optional<byte[]> meanwhile = lookUp(key, new LongAdder());
            if (meanwhile.isPresent()) {
                return meanwhile.get();
            }
            misses.increment();
            folder.misses().increment();
            byte[] cubin = compiler.get();
            store(key, cubin);
            return cubin;
        }
    }

    /** Whether kernels can be kept here; the folder is made if it is not there. */
    private boolean isUsable() {
        if (folder.limit() == 0 || !isTrusted()) {
            return false;
        }
        try {
            TrustedFolder.create(folder.path());
            return true;
        } catch (IOException e) {
            warnOf(e);
            return false;
        }
    }

    private Optional<byte[]> watchedLookUp(String key) {
        try (WatchedSpan span = Trace.cacheLookup(key)) {
            Optional<byte[]> known = lookUp(key, damaged);
            span.answer(known.isPresent());
            known.ifPresent(cubin -> span.bytes(cubin.length));
            Log.debug(() -> "kernel " + key + (known.isPresent() ? " is in the cache: " + known.get().length + " bytes"
                    : " is not in the cache"));
            return known;
        }
    }

    private Optional<byte[]> lookUp(String key, LongAdder damage) {
        if (!isTrusted()) {
            return Optional.empty();
        }
        Optional<byte[]> cubin = folder.read(key, damage);
        if (cubin.isPresent()) {
            hits.increment();
            folder.hits().increment();
            markUsed(folder.entry(key));
        }
        return cubin;
    }

    /** The time of change is what "least recently used" goes by; a folder that is only readable keeps its order. */
    private static void markUsed(Path entry) {
        try {
            Files.setLastModifiedTime(entry, FileTime.from(Instant.now()));
        } catch (IOException e) {
            // Nothing depends on it but the order of removal.
        }
    }

    private void store(String key, byte[] cubin) {
        if (!isTrusted()) {
            return;
        }
        try {
            folder.store(key, cubin);
        } catch (IOException e) {
            warnOf(e);
        }
    }

    private void warnOf(IOException problem) {
        warn("compiled kernels cannot be kept in " + folder.path() + " (" + FileProblem.reason(problem)
                + "): set TILEWRIGHT_CACHE to a folder that can be written");
    }
}
