package dev.tilewright.cli;

import dev.tilewright.io.FileProblem;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the line of a project's own sources that a stack trace names first: for an assertion that is the line that makes it.
 */
final class SourceLines {
    /** A frame: the class, whose package says the folder, the file in it, and the line. */
    private static final Pattern FRAME =
            Pattern.compile("^\\s*at (?:[^\\s(]*/)?([\\w.$]+)\\.[\\w$<>]+\\(([\\w.$-]+):(\\d+)\\)", Pattern.MULTILINE);
    /** How deep a module of a project, with its src/test/java, may lie below the project's folder. */
    private static final int DEPTH = 6;

    /** @param file relative to the project's folder, with slashes */
    record Place(String file, int line) {
    }

    private final Path project;
    private final List<Path> roots;

    private SourceLines(Path project, List<Path> roots) {
        this.project = project;
        this.roots = roots;
    }

    /** Sources in these folders, each the root of packages. @param project what the places are relative to */
    static SourceLines in(Path project, List<Path> roots) {
        return new SourceLines(project, List.copyOf(roots));
    }

    /** Sources where Maven and Gradle expect them: src/main/java, src/test/java and their like, in modules, too. */
    static SourceLines of(Path project) {
        try (Stream<Path> folders = Files.find(project, DEPTH, (path, what) -> what.isDirectory()
                && path.getNameCount() >= 3 && path.getParent().getParent() != null
                && path.getParent().getParent().endsWith("src"))) {
            return in(project, folders.sorted().toList());
        } catch (IOException e) {
            throw FileProblem.of("read", project, e);
        }
    }

    /** The first frame of a trace whose source is there. */
    Optional<Place> first(String trace) {
        Matcher frame = FRAME.matcher(trace);
        while (frame.find()) {
            String type = frame.group(1);
            String folder = type.substring(0, Math.max(0, type.lastIndexOf('.'))).replace('.', '/');
            for (Path root : roots) {
                Path file = root.resolve(folder).resolve(frame.group(2));
                if (Files.isRegularFile(file)) {
                    return Optional.of(new Place(project.toAbsolutePath().normalize()
                            .relativize(file.toAbsolutePath().normalize()).toString().replace(File.separatorChar, '/'),
                            Integer.parseInt(frame.group(3))));
                }
            }
        }
        return Optional.empty();
    }
}
