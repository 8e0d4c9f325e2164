package dev.tilewright.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Files that other processes see whole or not at all: written under a name of their own, then renamed. A process that
 * dies in between leaves a file with {@link #TEMPORARY} in front of its name.
 */
public final class AtomicFile {

    /** How the names of unfinished files begin. */
    public static final String TEMPORARY = ".unfinished-";

    private AtomicFile() { }

    /** Writes a file, or replaces it. Its folder must be there. */
    public static void write(Path file, byte[] content) throws IOException {
        Path temporary = temporaryFor(file);
        try {
            Files.write(temporary, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            publish(temporary, file);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** A name beside a file that nothing else uses; cheaper at a process's start than a random UUID. */
    public static Path temporaryFor(Path file) {
        return file.resolveSibling(TEMPORARY + ProcessHandle.current().pid() + "-" + System.nanoTime() + "-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong()) + "-" + file.getFileName());
    }

    /** Gives a finished file its name, replacing what had that name. */
    public static void publish(Path temporary, Path file) throws IOException {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
