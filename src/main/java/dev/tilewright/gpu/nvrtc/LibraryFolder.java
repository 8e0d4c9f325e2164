package dev.tilewright.gpu.nvrtc;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a folder holds of NVRTC, told from file names and the first bytes of files, with nothing loaded. NVRTC's files
 * are {@code libnvrtc.so.M}, a link to the real file, and {@code libnvrtc-builtins.so.M.N}, named for its exact
 * version. ELF facts: the System V ABI's file header.
 */
public final class LibraryFolder {

    private static final Pattern BUILTINS = Pattern.compile("libnvrtc-builtins\\.so\\.(\\d{1,4})\\.(\\d{1,4})[.\\d]*");
    private static final Pattern LIBRARY = Pattern.compile("libnvrtc\\.so(?:\\.(\\d{1,4})(?:\\.(\\d{1,4}))?[.\\d]*)?");

    private LibraryFolder() { }

    /**
     * The newest libnvrtc of a folder, if there is one; among names of one version, the shortest. A name without a
     * version is the last choice.
     */
    public static Optional<Path> newestLibrary(Path folder) {
        return names(folder)
                .filter(f -> LIBRARY.matcher(f.getFileName().toString()).matches())
                .max(Comparator.comparing(LibraryFolder::versionInName)
                        .thenComparing(f -> -f.getFileName().toString().length()));
    }

    /** The builtins library of this version beside a libnvrtc, or beside the file that it is a link to. */
    public static Optional<Path> builtinsBeside(Path library, NvrtcVersion version) {
        return foldersOf(library).stream()
                .map(folder -> folder.resolve("libnvrtc-builtins.so." + version))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    /**
     * The version that names tell, with nothing loaded: those of the builtins beside a libnvrtc, which are named for
     * their exact version, else its own after links.
     */
    public static Optional<NvrtcVersion> versionByNames(Path library) {
        NvrtcVersion own = versionInName(library);
        return foldersOf(library).stream().flatMap(LibraryFolder::names)
                .map(f -> BUILTINS.matcher(f.getFileName().toString())).filter(Matcher::matches)
                .map(m -> new NvrtcVersion(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2))))
                .filter(v -> own.major() == 0 || v.major() == own.major())
                .max(Comparator.naturalOrder())
                .or(() -> Optional.of(own).filter(v -> v.major() > 0));
    }

    /** Why a file cannot be the NVRTC that this process loads, or empty if it can. */
    public static Optional<String> objection(Path library, String architecture) {
        if (!Files.isRegularFile(library)) {
            return Optional.of(Files.exists(library) ? "it is not a file" : "there is no such file");
        }
        NvrtcVersion named = versionInName(library);
        if (named.major() > 0 && named.major() < NvrtcVersion.OLDEST.major()) {
            return Optional.of("it is NVRTC " + named.major() + ", and " + NvrtcVersion.OLDEST + " or newer is needed");
        }
        return elfObjection(library, architecture).or(() -> builtinsObjection(library));
    }

    private static Optional<String> builtinsObjection(Path library) {
        boolean some = foldersOf(library).stream().flatMap(LibraryFolder::names)
                .anyMatch(f -> f.getFileName().toString().startsWith("libnvrtc-builtins.so"));
        return some ? Optional.empty()
                : Optional.of("libnvrtc-builtins.so is not beside it, without which it compiles nothing");
    }

    private static Optional<String> elfObjection(Path library, String architecture) {
        int machine = switch (architecture) {
            case "amd64", "x86_64" -> 62;
            case "aarch64" -> 183;
            default -> -1;
        };
        try (InputStream in = Files.newInputStream(library); DataInputStream data = new DataInputStream(in)) {
            byte[] header = new byte[20];
            data.readFully(header);
            boolean elf64 = header[0] == 0x7F && header[1] == 'E' && header[2] == 'L' && header[3] == 'F'
                    && header[4] == 2;
            if (!elf64) {
                return Optional.of("it is not a 64-bit ELF library");
            }
            int found = (header[18] & 0xFF) | (header[19] & 0xFF) << 8;
            return machine == -1 || machine == found ? Optional.empty()
                    : Optional.of("it is for another processor (ELF machine " + found + ", not " + machine + ")");
        } catch (IOException e) {
            return Optional.of("it cannot be read (" + e + ")");
        }
    }

    /** The version that a file's name gives, after links; 0.0 if none does. */
    private static NvrtcVersion versionInName(Path library) {
        NvrtcVersion own = versionIn(library.getFileName().toString());
        try {
            return own.major() > 0 ? own : versionIn(library.toRealPath().getFileName().toString());
        } catch (IOException e) {
            return own;
        }
    }

    private static NvrtcVersion versionIn(String name) {
        Matcher m = LIBRARY.matcher(name);
        if (!m.matches() || m.group(1) == null) {
            return new NvrtcVersion(0, 0);
        }
        return new NvrtcVersion(Integer.parseInt(m.group(1)), m.group(2) == null ? 0 : Integer.parseInt(m.group(2)));
    }

    private static List<Path> foldersOf(Path library) {
        List<Path> folders = new ArrayList<>(List.of(library.toAbsolutePath().getParent()));
        try {
            folders.add(library.toRealPath().getParent());
        } catch (IOException e) {
            // A dangling link: only its own folder is left.
        }
        return folders;
    }

    private static Stream<Path> names(Path folder) {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(f -> f.getFileName().toString().startsWith("libnvrtc")).toList().stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }
}
