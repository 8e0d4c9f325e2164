package dev.tilewright.cli.option;

import dev.tilewright.BadRequestException;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The files that a command line names. A file that is read must not be written to, and no two results may go to one
 * file, whether by its name, a symbolic link or a hard one: such a command line is refused before the verb begins.
 */
public final class NamedFiles {
    /** @param option what named it on the command line */
    private record Named(String option, Path file) { }

    private final List<Named> read = new ArrayList<>();
    private final List<Named> written = new ArrayList<>();

    /** The files that the innermost verb of a command line names; {@link Written} marks the ones it writes. */
    public static NamedFiles of(ParseResult line) {
        ParseResult verb = line;
        while (verb.hasSubcommand()) {
            verb = verb.subcommand();
        }
        NamedFiles files = new NamedFiles();
        // An option that is given twice is matched twice, each time with all its values.
        for (ArgSpec argument : new LinkedHashSet<>(verb.matchedArgs())) {
            boolean isWritten = argument.userObject() instanceof AnnotatedElement field
                    && field.isAnnotationPresent(Written.class);
            Object value = argument.getValue();
            for (Object each : value instanceof Collection<?> several ? several : List.of(value)) {
                if (each instanceof Path file) {
                    (isWritten ? files.written : files.read).add(new Named(name(argument), file));
                }
            }
        }
        return files;
    }

    /** A file that is read besides, such as one of a folder that the command line names. @return this */
    public NamedFiles reading(String option, Path file) {
        read.add(new Named(option, file));
        return this;
    }

    /** A file that is written besides; null is none. @return this */
    public NamedFiles writing(String option, Path file) {
        if (file != null) {
            written.add(new Named(option, file));
        }
        return this;
    }

    /** @throws BadRequestException if a file is to be written that is read, or that another result goes to */
    public void requireApart() {
        for (int i = 0; i < written.size(); i++) {
            Named output = written.get(i);
            for (Named input : read) {
                if (isSame(output.file, input.file)) {
                    throw new BadRequestException(output.option + " " + output.file + " is the file that is read as "
                            + input.option + (output.file.equals(input.file) ? "" : " " + input.file)
                            + ": a command does not write over what it reads; name another file");
                }
            }
            for (Named other : written.subList(0, i)) {
                if (isSame(output.file, other.file)) {
                    throw new BadRequestException(other.option + " and " + output.option + " name the same file, "
                            + output.file + ": name one for each");
                }
            }
        }
    }

    /** What a command line calls an argument. */
    public static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    /** Whether two names are of one file, be it there or not; folders and devices are none. */
    private static boolean isSame(Path a, Path b) {
        try {
            if (Files.exists(a) && Files.exists(b)) {
                return Files.isRegularFile(a) && Files.isSameFile(a, b);
            }
            return place(a).equals(place(b));
        } catch (IOException e) {
            throw FileProblem.of("write", a, e);
        }
    }

    /** Where a file would be made: links that lead to nothing, and those among the folders, are followed. */
    private static Path place(Path file) throws IOException {
        Path path = file.toAbsolutePath();
        if (Files.isSymbolicLink(path) && !Files.exists(path)) {
            path = path.resolveSibling(Files.readSymbolicLink(path));
        }
        Path folder = path.getParent();
        return folder != null && Files.exists(folder) ? folder.toRealPath().resolve(path.getFileName())
                : path.normalize();
    }
}
