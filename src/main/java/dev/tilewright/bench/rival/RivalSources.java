package dev.tilewright.bench.rival;

import dev.tilewright.MissingRequirementException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    private static final String PACKED = "/dev/tilewright/bench/rivals/";

    /** All of them: a jar does not list what it has without a provider of file systems, which runtimes may lack. */
    static final List<String> NAMES = List.of(
            "accumulate.cu", "boxes.hpp", "broadcast.cu", "build", "catalogue.cpp", "catalogue.hpp", "check.cu",
            "copies.cpp", "copy_async.cu", "copy_bulk.cu", "copy_libcu.cu", "copy_tensor.cu", "copy_vector.cu",
            "device.cuh", "driver.hpp", "figures.hpp", "first_tile.cpp", "kernels.cu",
            "launches.cpp", "measure.cpp", "measure.hpp", "modules.hpp", "noise.hpp",
            "python_rivals.py", "read.cu", "rebind.cu", "rivals.cpp", "rivals.hpp", "scale.cu", "shared_read.cu",
            "streaming.cpp", "tensor_maps.cpp", "tensor_maps.hpp", "transpose.cu", "turns.hpp", "tutorial.cu",
            "variants.hpp");

    RivalSources {
        files = new TreeMap<>(files);
    }

    /** The sources in this jar. @throws MissingRequirementException if it has none */
    static RivalSources packed() {
        SortedMap<String, byte[]> files = new TreeMap<>();
        for (String name : NAMES) {
            try (InputStream in = RivalSources.class.getResourceAsStream(PACKED + name)) {
                if (in == null) {
                    throw new MissingRequirementException("the rivals' sources are not beside the classes (no "
                            + PACKED + name
                            + "): name a folder that native-tests/rivals/build has compiled into by --rivals");
                }
                files.put(name, in.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new RivalSources(files);
    }

    /** The sources in a folder. */
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
