package dev.tilewright.cli.terminal;

import dev.tilewright.BadRequestException;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a text that a user has asked for: wholly or not at all, or into a device such as {@code /dev/stdout}. */
public final class TextFile {
    private TextFile() { }

    /** @throws BadRequestException if the file cannot be written, with the reason */
    public static void write(Path file, String text) {
        try {
            if (isDevice(file)) {
                Files.writeString(file, text);
                return;
            }
            try (AtomicFile unfinished = AtomicFile.named(file)) {
                Files.writeString(unfinished.path(), text);
                unfinished.commit();
            }
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        }
    }

    /** Refuses a place where no file can be written, so that no long work is begun for it. */
    public static void requirePlace(Path file) {
        try {
            if (!isDevice(file)) {
                AtomicFile.requirePlace(file);
            }
        } catch (IOException e) {
            throw FileProblem.of("write", file, e);
        }
    }

    /** Whether it is there, and neither a file nor a folder. */
    private static boolean isDevice(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }
}
