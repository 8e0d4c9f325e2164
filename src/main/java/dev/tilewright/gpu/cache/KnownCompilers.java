package dev.tilewright.gpu.cache;

import dev.tilewright.io.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The compilers whose kernels are in a cache's folder, one file for each, signed as entries are. So a machine that has
 * no compiler, or has lost it, finds what another put there: an image that was filled when it was built, for one.
 */
record KnownCompilers(Path folder) {
    private static final String PREFIX = ".compiler-";
    /** More than anyone has; each costs the emission of a kernel that is looked for. */
    private static final int MOST = 8;
    private static final int MOST_BYTES = 1 << 12;

    private static String name(KnownCompiler compiler) {
        byte[] digest = Hmac.sha256().digest(compiler.identity().getBytes(StandardCharsets.UTF_8));
        return PREFIX + HexFormat.of().formatHex(digest, 0, 8);
    }

    /** Notes one. The folder is there, and so is its key. */
    void add(KnownCompiler compiler) throws IOException {
        String name = name(compiler);
        Path file = folder.resolve(name);
        if (!Files.exists(file)) {
            byte[] text = (compiler.version() + "\n" + compiler.identity()).getBytes(StandardCharsets.UTF_8);
            AtomicFile.write(file, CacheEntry.pack(CacheKey.readOrCreate(folder), name, text));
        }
    }

    /** The compilers that are noted, the latest first. */
    List<KnownCompiler> list() {
        List<Path> files = new ArrayList<>(files());
        files.sort(Comparator.comparing(KnownCompilers::time).reversed());
        List<KnownCompiler> all = new ArrayList<>();
        for (Path file : files) {
            if (all.size() < MOST) {
                CacheFolder.bytes(file, MOST_BYTES)
                        .flatMap(bytes -> CacheFolder.unpack(folder, file.getFileName().toString(), bytes))
                        .map(text -> new String(text, StandardCharsets.UTF_8).split("\n", 2))
                        .ifPresent(lines -> all.add(new KnownCompiler(lines[0], lines[1])));
            }
        }
        return all;
    }

    void clear() throws IOException {
        for (Path file : files()) {
            Files.deleteIfExists(file);
        }
    }

    private List<Path> files() {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(f -> f.getFileName().toString().startsWith(PREFIX)).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static long time(Path file) {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            return 0;
        }
    }
}
