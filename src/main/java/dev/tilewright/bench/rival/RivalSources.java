package dev.tilewright.bench.rival;

import dev.tilewright.MissingRequirementException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The sources of the rivals: {@code native-tests/rivals}, packed into the jar.
 *
 * @param files contents by name; there are no folders
 */
record RivalSources(SortedMap<String, byte[]> files) {
    private static final String PACKED = "/dev/tilewright/bench/rivals/build";

    RivalSources {
        files = new TreeMap<>(files);
    }

    /** Those of this jar. @throws MissingRequirementException if they are not in it */
    static RivalSources packed() {
        URL build = RivalSources.class.getResource(PACKED);
        if (build == null) {
            throw new MissingRequirementException("the rivals' sources are not beside the classes (no " + PACKED
                    + "): name a folder that native-tests/rivals/build has compiled into by --rivals");
        }
        try {
            return at(build.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Those that lie beside the script that builds them. @param build in a folder or in a jar */
    static RivalSources at(URI build) {
        try {
            if (!build.getScheme().equals("jar")) {
                return in(Path.of(build).getParent());
            }
            String[] parts = build.toString().split("!", 2);
            try (FileSystem jar = FileSystems.newFileSystem(URI.create(parts[0]), Map.of())) {
                return in(jar.getPath(parts[1]).getParent());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those in a folder. */
    static RivalSources in(Path folder) {
        Objects.requireNonNull(folder, "folder");
        SortedMap<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new RivalSources(files);
    }

    /** One of them as text. */
    String text(String name) {
        return new String(files.get(name), StandardCharsets.UTF_8);
    }

    /** Writes them into a folder. */
    void unpack(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Files.write(folder.resolve(file.getKey()), file.getValue());
        }
    }

    /** What changes when one of them does, or what they are built with. */
    String hash(String... builtWith) {
        StringBuilder all = new StringBuilder();
        files.forEach((name, content) ->
                all.append(name).append(' ').append(DigestUtils.sha256Hex(content)).append('\n'));
        for (String with : builtWith) {
            all.append(with).append('\n');
        }
        return DigestUtils.sha256Hex(all.toString());
    }
}
