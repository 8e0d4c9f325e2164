package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes a text that a user has asked for: wholly or not at all, or into a device such as {@code /dev/stdout}. */
final class TextFile {

    private TextFile() {
    }

    /** @throws BadRequestException if the file cannot be written, with the reason */
    static void write(Path file, String text) {
        requirePlace(file);
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                Files.writeString(file, text);
                return;
            }
            Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
            Path temporary = target.resolveSibling("." + target.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
            try {
                Files.writeString(temporary, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw refusal(file, e.toString());
        }
    }

    /** Refuses a place where no file can be written, so that no long work is begun for it. */
    static void requirePlace(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file)) {
            throw refusal(file, "it is a folder");
        }
        if (!Files.isDirectory(folder)) {
            throw refusal(file, "there is no folder " + folder);
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw refusal(file, "permission denied");
        }
    }

    private static BadRequestException refusal(Path file, String reason) {
        return new BadRequestException("cannot write " + file + ": " + reason);
    }
}
