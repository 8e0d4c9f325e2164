package dev.tilewright.gpu.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.gpu.host.FakeMachine;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hits, misses, damage, sharing and limits of the cache, with compilers that only count. */
class KernelCacheTest {

    @TempDir
    Path root;

    private Path folder;
    private final List<String> warnings = new ArrayList<>();
    private final AtomicInteger compilations = new AtomicInteger();

    @BeforeEach
    void folder() {
        folder = root.resolve("kernels");
    }

    private KernelCache cache(long limit) {
        return new KernelCache(folder, limit, warnings::add);
    }

    private static String key(int number) {
        return KernelCache.key("source " + number, List.of(), Target.SM_90A, "12.9/1");
    }

    private static byte[] cubin(int number, int bytes) {
        byte[] cubin = new byte[bytes];
        Arrays.fill(cubin, (byte) number);
        return cubin;
    }

    private byte[] get(KernelCache cache, int number, int bytes) {
        return cache.cubin(key(number), () -> {
            compilations.incrementAndGet();
            return cubin(number, bytes);
        });
    }

    private Path entry(int number) {
        return folder.resolve(key(number) + ".cubin");
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).filter(n -> !n.startsWith(".")).sorted().toList();
        }
    }

    @Test
    void compilesOnceAndFindsItAfterwards() {
        KernelCache cache = cache(1 << 20);
        assertArrayEquals(cubin(1, 1000), get(cache, 1, 1000));
        assertArrayEquals(cubin(1, 1000), get(cache, 1, 1000));
        assertArrayEquals(cubin(1, 1000), get(cache(1 << 20), 1, 1000));
        assertEquals(1, compilations.get());
        assertEquals(new KernelCache.Stats(folder, 1, 1040, 1 << 20, 1, 1, 0, 2, 1), cache.stats());
        assertEquals(List.of(), warnings);
    }

    @Test
    void aFailedCompilationIsNotKept() throws IOException {
        KernelCache cache = cache(1 << 20);
        RuntimeException failure = new IllegalStateException("does not compile");
        assertSame(failure, assertThrows(IllegalStateException.class, () -> cache.cubin(key(1), () -> {
            throw failure;
        })));
        assertFalse(Files.exists(entry(1)));
        assertArrayEquals(cubin(1, 10), get(cache, 1, 10));
    }

    @Test
    void everyDamagedByteAndEveryLengthIsFoundAndRepaired() throws IOException {
        KernelCache cache = cache(1 << 20);
        get(cache, 1, 60);
        byte[] good = Files.readAllBytes(entry(1));
        assertEquals(CacheEntry.HEADER + 60, good.length);
        List<byte[]> damaged = new ArrayList<>();
        for (int at = 0; at < good.length; at++) {
            byte[] changed = good.clone();
            changed[at] ^= 0x10;
            damaged.add(changed);
            damaged.add(Arrays.copyOf(good, at));
        }
        damaged.add(Arrays.copyOf(good, good.length + 1));
        for (byte[] bytes : damaged) {
            Files.write(entry(1), bytes);
            compilations.set(0);
            assertArrayEquals(cubin(1, 60), get(cache, 1, 60));
            assertEquals(1, compilations.get());
            assertArrayEquals(good, Files.readAllBytes(entry(1)));
        }
        assertEquals(damaged.size(), cache.stats().damaged());
    }

    @Test
    void anEntryUnderAnotherNameIsNotTakenForIt() throws IOException {
        KernelCache cache = cache(1 << 20);
        get(cache, 1, 60);
        Files.copy(entry(1), entry(2));
        assertArrayEquals(cubin(2, 60), get(cache, 2, 60));
    }

    @Test
    void theKeyDependsOnEverythingAndNothingRunsTogether() {
        List<String> none = List.of();
        String[] keys = {
            KernelCache.key("a", none, Target.SM_90, "12.9"), KernelCache.key("b", none, Target.SM_90, "12.9"),
            KernelCache.key("a", none, Target.SM_90A, "12.9"), KernelCache.key("a", none, Target.SM_90, "13.0"),
            KernelCache.key("a", List.of("x", "y"), Target.SM_90, "12.9"),
            KernelCache.key("a", List.of("xy"), Target.SM_90, "12.9"),
            KernelCache.key("a", List.of("y", "x"), Target.SM_90, "12.9"),
            KernelCache.key("ax", List.of("y"), Target.SM_90, "12.9"),
            KernelCache.key("a", List.of(""), Target.SM_90, "12.9"),
            KernelCache.key("a", List.of("", ""), Target.SM_90, "12.9"),
        };
        assertEquals(keys.length, new HashSet<>(Arrays.asList(keys)).size());
        assertEquals(keys[0], KernelCache.key("a", none, Target.SM_90, "12.9"));
    }

    @Property
    void keysOfDifferentRequestsDiffer(@ForAll String a, @ForAll String b, @ForAll String c, @ForAll String d) {
        Set<List<String>> requests =
                Set.copyOf(Arrays.asList(List.of(a, b), List.of(a + b), List.of(a, b, ""), List.of("", a, b)));
        Set<String> keys = new HashSet<>();
        requests.forEach(options -> keys.add(KernelCache.key(c, options, Target.SM_80, d)));
        assertEquals(requests.size(), keys.size());
        assertNotEquals(KernelCache.key(c, List.of(), Target.SM_80, d + "x"),
                KernelCache.key(c, List.of(), Target.SM_80, d));
    }

    @Test
    void threadsThatWantTheSameCompileItOnce() throws Exception {
        KernelCache cache = cache(1 << 20);
        try (ExecutorService pool = Executors.newFixedThreadPool(16)) {
            List<Future<byte[]>> all = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                int number = i % 5;
                all.add(pool.submit(() -> get(cache, number, 5_000)));
            }
            for (int i = 0; i < all.size(); i++) {
                assertArrayEquals(cubin(i % 5, 5_000), all.get(i).get());
            }
        }
        assertEquals(5, compilations.get());
        assertEquals(5, names().size());
    }

    /** Run in processes of their own: the same thirty kernels over and over, with the folder too small for them. */
    public static final class Hammer {
        public static void main(String[] arguments) {
            KernelCache cache = new KernelCache(Path.of(arguments[0]), 40_000, warning -> {
                throw new AssertionError(warning);
            });
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                int number = (i * 7 + arguments[1].hashCode()) % 30;
                byte[] cubin = cache.cubin(key(number), () -> cubin(number, 2_000));
                if (!Arrays.equals(cubin(number, 2_000), cubin)) {
                    throw new AssertionError("kernel " + number + " is another's");
                }
            }
            System.out.print("ok " + cache.stats().damaged());
        }
    }

    @Test
    void processesShareAFolder() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            processes.add(OtherJava.start(List.of(), Hammer.class, folder.toString(), "p" + i,
                    "" + Thorough.of(1_000, 3_000)));
        }
        for (Process process : processes) {
            assertEquals("ok 0", new String(process.getInputStream().readAllBytes()));
            assertTrue(process.waitFor(3, TimeUnit.MINUTES));
        }
        assertTrue(names().stream().allMatch(n -> n.endsWith(".cubin") && n.length() == 70), names().toString());
        assertTrue(cache(40_000).stats().bytes() <= 3 * 40_000);
    }

    @Test
    void theLeastRecentlyUsedGoFirst() throws IOException {
        KernelCache cache = cache(20_000);
        Instant start = Instant.now().minusSeconds(10_000);
        for (int i = 0; i < 8; i++) {
            get(cache, i, 2_000);
            Files.setLastModifiedTime(entry(i), FileTime.from(start.plusSeconds(i)));
        }
        get(cache, 0, 2_000);
        get(cache, 8, 2_000);
        get(cache, 9, 2_000);
        assertTrue(Files.exists(entry(0)), "used just now");
        assertFalse(Files.exists(entry(1)), "used longest ago");
        assertTrue(Files.exists(entry(9)), "stored just now");
        assertTrue(cache.stats().bytes() <= 20_000);
    }

    @Test
    void manyKernelsStayWithinTheLimit() {
        KernelCache cache = cache(50_000);
        for (int i = 0; i < Thorough.of(100, 300); i++) {
            assertArrayEquals(cubin(i, 900), get(cache, i, 900));
            assertTrue(cache.stats().bytes() <= 50_000 + 1_000, "after " + i + ": " + cache.stats());
        }
        assertTrue(cache.stats().entries() > 20);
        assertEquals(List.of(), warnings);
    }

    @Test
    void aKernelLargerThanTheLimitIsCompiledAndNotKept() {
        KernelCache cache = cache(1_000);
        get(cache, 1, 500);
        assertArrayEquals(cubin(2, 5_000), get(cache, 2, 5_000));
        assertEquals(1, cache.stats().entries());
        assertTrue(Files.exists(entry(1)));
    }

    @Test
    void aFolderThatCannotBeMadeIsSaidOnceAndStopsNothing() throws IOException {
        Files.write(folder, new byte[0]);
        KernelCache cache = cache(1 << 20);
        assertArrayEquals(cubin(1, 100), get(cache, 1, 100));
        assertArrayEquals(cubin(2, 100), get(cache, 2, 100));
        assertEquals(1, warnings.size());
        assertTrue(warnings.getFirst().startsWith("compiled kernels cannot be kept in " + folder + " ("),
                warnings.toString());
        assertTrue(warnings.getFirst().endsWith("): set TILEWRIGHT_CACHE to a folder that can be written"));
        assertEquals(0, cache.stats().entries());
    }

    @Test
    void aFolderWhereAnEntryShouldBeStopsNothing() throws IOException {
        Files.createDirectories(entry(1).resolve("not-empty"));
        assertArrayEquals(cubin(1, 100), get(cache(1 << 20), 1, 100));
        assertEquals(1, warnings.size());
        assertEquals(1, names().size());
    }

    @Test
    void clearingRemovesKernelsAndNothingElse() throws IOException {
        KernelCache cache = cache(1 << 20);
        get(cache, 1, 100);
        get(cache, 2, 100);
        Files.writeString(folder.resolve("notes.txt"), "a user's");
        assertEquals(2 * 140, cache.clear());
        assertEquals(List.of("notes.txt"), names());
        assertEquals(0, cache(1 << 20).clear());
    }

    @Test
    void whatAProcessLeftUnfinishedIsRemovedOnceItIsOld() throws IOException {
        Files.createDirectories(folder);
        Path old = Files.write(folder.resolve(AtomicFile.UNFINISHED + "1"), new byte[10]);
        Path fresh = Files.write(folder.resolve(AtomicFile.UNFINISHED + "2"), new byte[10]);
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(7_200)));
        get(cache(1 << 20), 1, 100);
        assertFalse(Files.exists(old));
        assertTrue(Files.exists(fresh));
    }

    @Test
    void theUsersFolderFollowsTheSettings() {
        FakeMachine machine = new FakeMachine(root);
        assertEquals(root.resolve("home/user/.cache/tilewright/kernels"),
                KernelCache.ofUser(machine.environment(), warnings::add).stats().folder());
        machine.variables.put("TILEWRIGHT_CACHE", root.resolve("mine").toString());
        assertEquals(root.resolve("mine/tilewright/kernels"),
                KernelCache.ofUser(machine.environment(), warnings::add).stats().folder());
    }
}
