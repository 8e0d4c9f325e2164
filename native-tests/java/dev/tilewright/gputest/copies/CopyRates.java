package dev.tilewright.gputest.copies;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.RegisteredMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Prints GB/s (10^9 bytes a second, medians) of copies of one size after another: page-locked memory, registered
 * memory, pageable memory left to the driver, and pageable memory of several kinds as the runtime copies it. Every copy
 * ends before the next begins. Bytes are checked once for each kind and size; exit code 1 where one is wrong.
 *
 * <p>Arguments: the largest size in MiB, milliseconds for each figure, and the kinds, or none for all. System property
 * {@code rates.least}: the smallest size in bytes.
 */
public final class CopyRates {
    private static final long LEAST = Long.getLong("rates.least", 4 << 10);
    private static final long WARM = 8 << 20;
    private static final long WARM_NANOS = 300_000_000;
    private static final int LEAST_COPIES = 3;
    private static final int MOST_COPIES = 2000;

    private final Gpu gpu;
    private final long most;
    private final long nanos;
    private final Buffer<byte[]> upper;
    private final Buffer<byte[]> lower;
    private final Stream up;
    private final Stream down;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private boolean right = true;

    private CopyRates(Gpu gpu, long most, long nanos) {
        this.gpu = gpu;
        this.most = most;
        this.nanos = nanos;
        this.upper = gpu.bytes(most);
        this.lower = gpu.bytes(most);
        this.up = gpu.stream();
        this.down = gpu.stream();
    }

    /** Measures. */
    public static void main(String[] arguments) throws Exception {
        long most = Long.parseLong(arguments[0]) << 20;
        long nanos = Long.parseLong(arguments[1]) * 1_000_000;
        List<String> kinds = Arrays.asList(arguments).subList(2, arguments.length);
        try (Gpu gpu = Gpu.open(); Arena arena = Arena.ofShared()) {
            CopyRates rates = new CopyRates(gpu, most, nanos);
            rates.run(kinds, arena);
            rates.threads.shutdown();
            if (!rates.right) {
                System.exit(1);
            }
        }
    }

    private void run(List<String> kinds, Arena arena) throws Exception {
        System.out.printf("%-22s", "GB/s");
        for (long bytes = LEAST; bytes <= most; bytes *= 4) {
            System.out.printf("%9s", bytes < 1 << 20 ? (bytes >> 10) + "K" : (bytes >> 20) + "M");
        }
        System.out.println();
        if (wanted(kinds, "pinned")) {
            try (PinnedMemory from = gpu.pinned(most); PinnedMemory to = gpu.pinned(most)) {
                rows("pinned", from.segment(), to.segment(), this::upload, this::download);
            }
        }
        if (wanted(kinds, "registered")) {
            MemorySegment from = arena.allocate(most, 4096);
            MemorySegment to = arena.allocate(most, 4096);
            long begin = System.nanoTime();
            try (RegisteredMemory one = gpu.register(from); RegisteredMemory other = gpu.register(to)) {
                System.out.printf("registering: %.2f GB/s%n", 2.0 * most / (System.nanoTime() - begin));
                rows("registered", one.segment(), other.segment(), this::upload, this::download);
            }
        }
        if (kinds.contains("write-combined")) {
            rows("write-combined", writeCombined(arena), arena.allocate(most, 64), this::upload, this::download);
        }
        MemorySegment from = arena.allocate(most, 64);
        MemorySegment to = arena.allocate(most, 64);
        if (wanted(kinds, "driver")) {
            rows("driver's way", from, to, this::uploadByDriver, this::downloadByDriver);
        }
        if (wanted(kinds, "segment")) {
            rows("segment", from, to, this::upload, this::download);
        }
        if (wanted(kinds, "array")) {
            int bytes = (int) Math.min(most, 1 << 30);
            rows("array", MemorySegment.ofArray(new float[bytes / 4]), MemorySegment.ofArray(new float[bytes / 4]),
                    this::upload, this::download);
        }
        if (wanted(kinds, "mapped")) {
            rows("mapped file", map(arena), map(arena), this::upload, this::download);
        }
    }

    private static boolean wanted(List<String> kinds, String kind) {
        return kinds.isEmpty() || kinds.contains(kind);
    }

    /** CU_MEMHOSTALLOC_WRITECOMBINED (4), cuda.h. */
    private MemorySegment writeCombined(Arena arena) {
        MemorySegment out = arena.allocate(JAVA_LONG);
        gpu.inContext(() -> require(LibCuda.get().cuMemHostAlloc(out, most, 4)));
        return MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(most);
    }

    private MemorySegment map(Arena arena) throws Exception {
        Path file = Files.createTempFile("rates", "");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, most, arena);
        } finally {
            Files.delete(file);
        }
    }

    /** A copy that has ended on return. */
    private interface Copy {
        void of(MemorySegment host);
    }

    private void upload(MemorySegment host) {
        up.upload(host, upper);
        up.synchronize();
    }

    private void download(MemorySegment host) {
        down.download(lower, host);
        down.synchronize();
    }

    private void uploadByDriver(MemorySegment host) {
        require(LibCuda.get().cuMemcpyHtoDAsync(upper.address(), host.address(), host.byteSize(), up.handle()));
        require(LibCuda.get().cuStreamSynchronize(up.handle()));
    }

    private void downloadByDriver(MemorySegment host) {
        require(LibCuda.get().cuMemcpyDtoHAsync(host.address(), lower.address(), host.byteSize(), down.handle()));
        require(LibCuda.get().cuStreamSynchronize(down.handle()));
    }

    private static void require(int result) {
        if (result != DriverApi.SUCCESS) {
            throw new IllegalStateException("CUresult " + result);
        }
    }

    private void rows(String kind, MemorySegment from, MemorySegment to, Copy upload, Copy download) throws Exception {
        for (long at = 0; at < from.byteSize(); at += 8) {
            from.set(JAVA_LONG_UNALIGNED, at, at * 0x9E3779B97F4A7C15L);
        }
        to.fill((byte) 1);
        warmUp(() -> upload.of(from.asSlice(0, LEAST)), () -> upload.of(from.asSlice(0, WARM)),
                () -> download.of(to.asSlice(0, LEAST)), () -> download.of(to.asSlice(0, WARM)));
        StringBuilder ups = new StringBuilder();
        StringBuilder downs = new StringBuilder();
        StringBuilder boths = new StringBuilder();
        for (long bytes = LEAST; bytes <= from.byteSize(); bytes *= 4) {
            MemorySegment source = from.asSlice(0, bytes);
            MemorySegment target = to.asSlice(0, bytes);
            ups.append(figure(bytes, () -> upload.of(source)));
            lower.slice(0, bytes).fill((byte) 2);
            gpu.defaultStream().copy(upper.slice(0, bytes), lower);
            gpu.synchronize();
            downs.append(figure(bytes, () -> download.of(target)));
            if (source.mismatch(target) != -1) {
                System.out.println("wrong at byte " + source.mismatch(target) + " of " + bytes + ": " + kind);
                right = false;
            }
            target.fill((byte) 3);
            boths.append(figure(bytes, () -> {
                Future<?> other = threads.submit(() -> download.of(target));
                upload.of(source);
                try {
                    other.get();
                } catch (ExecutionException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
            if (source.mismatch(target) != -1 || target.get(JAVA_BYTE, bytes - 1) != source.get(JAVA_BYTE, bytes - 1)) {
                right = false;
            }
        }
        System.out.printf("%-22s%s%n%-22s%s%n%-22s%s%n", kind + " up", ups, kind + " down", downs, kind + " both, each",
                boths);
    }

    /** So that all is compiled before the first figure. */
    private static void warmUp(Runnable... copies) {
        long end = System.nanoTime() + WARM_NANOS;
        while (System.nanoTime() < end) {
            for (Runnable copy : copies) {
                copy.run();
            }
        }
    }

    private String figure(long bytes, Runnable copy) {
        List<Double> rates = new ArrayList<>();
        long warm = System.nanoTime() + nanos / 4;
        do {
            copy.run();
        } while (System.nanoTime() < warm);
        long end = System.nanoTime() + nanos;
        while (rates.size() < LEAST_COPIES || System.nanoTime() < end && rates.size() < MOST_COPIES) {
            long begin = System.nanoTime();
            copy.run();
            rates.add((double) bytes / (System.nanoTime() - begin));
        }
        rates.sort(null);
        return String.format(Locale.ROOT, "%9.2f", rates.get(rates.size() / 2));
    }
}
