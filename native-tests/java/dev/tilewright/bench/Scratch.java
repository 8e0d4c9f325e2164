package dev.tilewright.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;

/** A folder for what is needed while something is measured. */
public final class Scratch implements AutoCloseable {
    private final Path folder;

    /** Makes it, where the system has its temporary files. */
    public Scratch() {
        try {
            this.folder = Files.createTempDirectory("tilewright-bench");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is. */
    public Path folder() {
        return folder;
    }

    /** Deletes it with all that is in it. */
    @Override
    public void close() {
        FileUtils.deleteQuietly(folder.toFile());
    }
}
