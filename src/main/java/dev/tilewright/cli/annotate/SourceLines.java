package dev.tilewright.cli.annotate;

import dev.tilewright.io.FileProblem;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the line of a project's own sources that a stack trace names first: for an assertion that is the line that
 * makes it.
 */
public final class SourceLines {
    /** A frame: behind a loader's and a module's name the class and its method, the file, and the line. */
    private static final Pattern FRAME =
            Pattern.compile("at (?:[^()]*/)?([^/()]+)\\.[^./()]+\\(([^/():]+):([0-9]{1,9})\\)");
    /** How deep a module of a project, with its src/test/java, may lie below the project's folder. */
    private static final int DEPTH = 6;

    /** @param file relative to the project's folder, with slashes */
    public record Place(String file, int line) { }

    private final Path project;
    private final List<Path> roots;

    private SourceLines(Path project, List<Path> roots) {
        this.project = project;
        this.roots = roots;
    }

    /** Sources in these folders, each the root of packages. @param project what the places are relative to */
    public static SourceLines in(Path project, List<Path> roots) {
        return new SourceLines(project, List.copyOf(roots));
    }

    /** Sources where Maven and Gradle expect them: src/main/java, src/test/java and their like, in modules, too. */
    public static SourceLines of(Path project) {
        try (Stream<Path> folders = Files.find(project, DEPTH, (path, what) -> what.isDirectory()
                && path.getNameCount() >= 3 && path.getParent().getParent() != null
                && path.getParent().getParent().endsWith("src"))) {
            return in(project, folders.sorted().toList());
        } catch (IOException e) {
            throw FileProblem.of("read", project, e);
        }
    }

    /** The first frame of a trace whose source is in one of the roots; what a trace says otherwise is of no matter. */
    public Optional<Place> first(String trace) {
        return trace.lines().map(line -> FRAME.matcher(line.strip())).filter(Matcher::lookingAt)
                .flatMap(frame -> place(frame).stream()).findFirst();
    }

    private Optional<Place> place(Matcher frame) {
        String names = frame.group(1);
        if (("." + names + ".").contains("..")) {
            return Optional.empty();
        }
        String folder = names.substring(0, Math.max(0, names.lastIndexOf('.'))).replace('.', '/');
        int line = Integer.parseInt(frame.group(3));
        return roots.stream().flatMap(root -> source(root, folder, frame.group(2)).stream()).findFirst()
                .map(file -> new Place(relative(file), line));
    }

    /** A file below a root, where there is one that also really lies there: links do not lead out of it. */
    private static Optional<Path> source(Path root, String folder, String name) {
        try {
            Path file = root.resolve(folder).resolve(name);
            return Files.isRegularFile(file) && file.toRealPath().startsWith(root.toRealPath()) ? Optional.of(file)
                    : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            // Of a trace that somebody made up: no such file can be looked at.
            return Optional.empty();
        }
    }

    private String relative(Path file) {
        return project.toAbsolutePath().normalize().relativize(file.toAbsolutePath().normalize()).toString()
                .replace(File.separatorChar, '/');
    }
}
