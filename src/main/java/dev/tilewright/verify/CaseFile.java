package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.lang3.StringUtils;

/** A case's line where it is too long for a command line: in a file, which the command takes as {@code @FILE}. */
public final class CaseFile {
    /** Longer lines have a file. */
    public static final int LONG = 1000;
    private static final String MARK = "@";
    private static final int NAME_DIGITS = 8;
    /** No line comes near it: what is larger is another file. */
    private static final int MOST_BYTES = 1 << 20;

    private CaseFile() { }

    /** The command that runs a case again. @param argument its line, or its file behind an {@code @} */
    public static String command(String argument) {
        return "tilewright verify --case '" + argument + "'";
    }

    /** What begins the names of a case's files: it depends on the case alone. */
    static String stem(String line) {
        String kind = StringUtils.substringBefore(line, " ").replaceAll("[^a-z0-9]", "");
        return StringUtils.capitalize(kind) + "Case" + HexFormat.of()
                .formatHex(DigestUtils.sha256(line.getBytes(StandardCharsets.UTF_8))).substring(0, NAME_DIGITS);
    }

    /** The name of the file that a case's line has, if it is long. */
    static String name(String line) {
        return stem(line) + ".case";
    }

    /**
     * Writes a line into a file of its own.
     *
     * @param folder is made if it is not there
     * @return what the command takes for the line: the line itself unless it is long
     * @throws BadRequestException if the file cannot be written
     */
    public static String write(Path folder, String line) {
        if (line.length() <= LONG) {
            return line;
        }
        Path file = folder.resolve(name(line));
        try {
            Files.createDirectories(folder);
            AtomicFile.write(file, (line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        }
        return MARK + file;
    }

    /** Whether an argument names a file. */
    public static boolean isFile(String argument) {
        return argument.startsWith(MARK);
    }

    /** The file that {@code @FILE} names. @throws BadRequestException if there can be none of its name */
    public static Path file(String argument) {
        if (!isFile(argument)) {
            throw new IllegalArgumentException("'" + argument + "' names no file");
        }
        try {
            return Path.of(argument.substring(MARK.length()));
        } catch (InvalidPathException e) {
            throw new BadRequestException("--case " + argument.replace("\0", "\\0")
                    + " names no file that there can be here", e);
        }
    }

    /**
     * The line in a file.
     *
     * @param argument {@code @FILE}
     * @throws BadRequestException if it cannot be read, or has not one line
     */
    public static String read(String argument) {
        Path file = file(argument);
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (IOException e) {
            throw FileProblem.of("read", file, e);
        }
        List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().map(String::strip)
                .filter(l -> !l.isEmpty())
                .toList();
        if (bytes.length > MOST_BYTES || lines.size() != 1) {
            throw new BadRequestException("--case " + argument + " takes a file with the line of one case, and this "
                    + "has "
                    + (bytes.length > MOST_BYTES ? "more than " + MOST_BYTES + " bytes" : lines.size() + " lines"));
        }
        return lines.getFirst();
    }
}
