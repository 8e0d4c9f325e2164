package dev.tilewright.gpu.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.host.FakeMachine;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken from a cache was put there by its user. */
class CacheTrustTest {
    private static final String KEY = KernelCache.key("source", List.of(), Target.SM_90A, "12.9/1");
    private static final byte[] GOOD = {1, 2, 3};
    private static final byte[] FORGED = {6, 6, 6};

    @TempDir
    Path root;
    private Path folder;
    private Path entry;
    private final List<String> warnings = new ArrayList<>();
    private int compilations;

    @BeforeEach
    void folder() {
        folder = root.resolve("kernels");
        entry = folder.resolve(KEY + ".cubin");
    }

    private byte[] get() {
        return new KernelCache(folder, 1 << 20, warnings::add).cubin(KEY, () -> {
            compilations++;
            return GOOD;
        });
    }

    @Test
    void anEntryWithADigestThatAnybodyCanMakeIsCompiledAnew() throws IOException {
        get();
        byte[] digest = DigestUtils.sha256(ByteBuffer.allocate(KEY.length() + 3).put(KEY.getBytes()).put(FORGED)
                .array());
        for (String magic : List.of("TWCUBIN1", "TWCUBIN2")) {
            Files.write(entry, ByteBuffer.allocate(43).put(magic.getBytes()).put(digest).put(FORGED).array());
            assertArrayEquals(GOOD, get());
        }
        assertEquals(3, compilations);
        assertArrayEquals(GOOD, get());
        assertEquals(3, compilations);
    }

    @Test
    void anEntryOfAnotherFoldersKeyIsCompiledAnew() throws IOException {
        get();
        Files.write(entry, CacheEntry.pack(new byte[32], KEY, FORGED));
        assertArrayEquals(GOOD, get());
        assertEquals(2, compilations);
    }

    /** What is too large to be what it is named for is not read, but compiled, and written anew. */
    @Test
    void filesThatAreTooLargeAreNoKeysNorKernels() throws IOException {
        get();
        KernelCache cache = new KernelCache(folder, 1 << 20, warnings::add);
        cache.remember(new KnownCompiler("12.9", "12.9/1"));
        Path compiler;
        try (Stream<Path> files = Files.list(folder)) {
            compiler = files.filter(file -> file.getFileName().toString().startsWith(".compiler-")).findFirst()
                    .orElseThrow();
        }
        int expected = 1;
        for (Path file : List.of(entry, compiler, folder.resolve(".key"))) {
            for (long bytes : new long[] {65L << 20, 3L << 30}) {
                try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
                    large.setLength(bytes);
                }
                assertArrayEquals(GOOD, get());
                expected += file.equals(compiler) ? 0 : 1;
                assertEquals(expected, compilations, file::toString);
                assertArrayEquals(GOOD, get());
                assertEquals(expected, compilations, file::toString);
                assertEquals(file.equals(entry) ? 1 : 0,
                        new KernelCache(folder, 1 << 20, warnings::add).compilers().size());
            }
        }
        assertEquals(List.of(), warnings);
    }

    @Test
    void theKeyIsTheOwnersAlone() throws IOException {
        get();
        Path key = folder.resolve(".key");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
        assertEquals(32, Files.size(key));
        // A key that others could read is no secret, and a short one none at all.
        byte[] secret = Files.readAllBytes(key);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertArrayEquals(GOOD, get());
        assertEquals(2, compilations);
        assertFalse(Arrays.equals(secret, Files.readAllBytes(key)));
        Files.write(key, new byte[31]);
        assertArrayEquals(GOOD, get());
        assertEquals(3, compilations);
        Files.delete(key);
        assertArrayEquals(GOOD, get());
        assertArrayEquals(GOOD, get());
        assertEquals(4, compilations);
        assertEquals(List.of(), warnings);
    }

    @Test
    void aFolderThatOthersMayWriteIsNeitherReadNorWritten() throws IOException {
        get();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.delete(entry);
        KernelCache cache = new KernelCache(folder, 1 << 20, warnings::add);
        for (int i = 0; i < 2; i++) {
            assertArrayEquals(GOOD, cache.cubin(KEY, () -> GOOD));
        }
        assertEquals(2, cache.stats().misses());
        assertFalse(Files.exists(entry));
        assertEquals(List.of("the kernel cache " + folder + " is not used: " + folder
                + " can be written by everyone (mode 777; chmod o-w ends that)"), warnings);
        assertEquals(Optional.of(warnings.getFirst()), cache.objection());
    }

    @Test
    void withoutAHomeNothingIsKeptAndARelativeFolderIsABadRequest() throws IOException {
        FakeMachine machine = new FakeMachine(root);
        machine.properties.put("user.home", "?");
        KernelCache cache = KernelCache.ofUser(machine.environment(), warnings::add);
        assertArrayEquals(GOOD, cache.cubin(KEY, () -> GOOD));
        assertArrayEquals(GOOD, cache.cubin(KEY, () -> GOOD));
        assertEquals(List.of("compiled kernels are kept nowhere: this user has no home folder"), warnings);
        assertFalse(Files.exists(Path.of("?")));
        Path here = Files.write(Path.of("0".repeat(63) + "f.cubin"), GOOD);
        try {
            assertEquals(0, cache.stats().entries());
            assertEquals(0, cache.clear());
            assertTrue(Files.exists(here));
        } finally {
            Files.deleteIfExists(here);
        }
        machine.variables.put("HOME", root.resolve("home").toString());
        assertEquals(root.resolve("home/.cache/tilewright/kernels"),
                KernelCache.ofUser(machine.environment(), warnings::add).stats().folder());
        machine.variables.put("TILEWRIGHT_CACHE", "some/folder");
        assertEquals("TILEWRIGHT_CACHE is 'some/folder', and a cache's folder must be named by an absolute path",
                assertThrows(BadRequestException.class, () -> KernelCache.ofUser(machine.environment(), warnings::add))
                        .getMessage());
        assertTrue(machine.environment().localMavenRepository().orElseThrow().isAbsolute());
    }
}
