package dev.tilewright.gpu.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often something happened in all processes that share a folder: the size of a file, to which each appends a byte.
 * Where the file system appends as POSIX has it, no process's byte is lost. A count that cannot be kept is not missed.
 */
record EventCount(Path file) {
    private static final byte[] ONE = {'.'};

    void increment() {
        try {
            Files.write(file, ONE, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            // Nothing depends on it.
        }
    }

    long get() {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    void reset() throws IOException {
        Files.deleteIfExists(file);
    }
}
