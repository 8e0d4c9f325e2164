package dev.tilewright.gpu.nvrtc.locate;

import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.io.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * Remembers the version of each libnvrtc between processes, by path, size and time of change, so that a kernel that is
 * in the cache needs no compiler to be loaded: loading one takes a tenth of a second. What is remembered is only ever a
 * shortcut: if it cannot be read or written, the library is asked again.
 *
 * @param folder where to remember; made when it is needed
 * @param ask loads a library and asks it
 */
record VersionMemo(Path folder, Function<Path, NvrtcVersion> ask) implements Function<Path, NvrtcVersion> {
    private static final String FORMAT = "tilewright nvrtc version 1";
    /** More than paths and versions have. */
    private static final long MOST_BYTES = 1 << 16;

    /** The version of a libnvrtc. Throws what the asking throws. */
    @Override
    public NvrtcVersion apply(Path library) {
        Optional<List<String>> facts = facts(library);
        Optional<NvrtcVersion> known = facts.flatMap(this::recall);
        if (known.isPresent()) {
            return known.get();
        }
        NvrtcVersion version = ask.apply(library);
        facts.ifPresent(f -> remember(f, version));
        return version;
    }

    /** What must be unchanged for a remembered version to hold. */
    private static Optional<List<String>> facts(Path library) {
        try {
            Path real = library.toRealPath();
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            return Optional.of(List.of(FORMAT, real.toString(), Long.toString(attributes.size()),
                    attributes.lastModifiedTime().toString()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<NvrtcVersion> recall(List<String> facts) {
        try {
            if (Files.size(entry(facts)) > MOST_BYTES) {
                return Optional.empty();
            }
            List<String> lines = Files.readAllLines(entry(facts));
            boolean same = lines.size() == facts.size() + 1 && lines.subList(0, facts.size()).equals(facts);
            return same ? Optional.of(NvrtcVersion.parse(lines.getLast())) : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private void remember(List<String> facts, NvrtcVersion version) {
        String text = String.join("\n", facts) + "\n" + version + "\n";
        try {
            TrustedFolder.create(folder);
            AtomicFile.write(entry(facts), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The next process asks the library again.
        }
    }

    private Path entry(List<String> facts) {
        return folder.resolve(DigestUtils.sha256Hex(facts.get(1)).substring(0, 32) + ".version");
    }
}
