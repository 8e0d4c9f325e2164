package dev.tilewright.io;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;

/**
 * The state of a file before it was mapped into memory, to be compared with its state when work with it ends. A mapped
 * file shows every change that others make to it, and where it has been cut short there is no memory any more: the JVM
 * makes an {@link InternalError} of that.
 */
public final class FileSnapshot {

    private final Path file;
    private final Optional<Facts> facts;

    private record Facts(long bytes, FileTime changed, Optional<Object> key) { }

    private FileSnapshot(Path file) {
        this.file = file;
        this.facts = look(file);
    }

    /** Looks at a file, which need not be there. */
    public static FileSnapshot of(Path file) {
        Objects.requireNonNull(file, "file");
        return new FileSnapshot(file);
    }

    private static Optional<Facts> look(Path file) {
        try {
            BasicFileAttributes a = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new Facts(a.size(), a.lastModifiedTime(), Optional.ofNullable(a.fileKey())));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Refuses a file that has been changed, replaced or removed since.
     *
     * @throws BadRequestException with what has become of it
     */
    public void requireUnchanged() {
        Optional<Facts> now = look(file);
        if (!now.equals(facts)) {
            String what = now.isEmpty() ? "it was removed" : facts.isPresent() && now.get().bytes < facts.get().bytes
                            ? "it was cut from " + facts.get().bytes + " to " + now.get().bytes + " bytes"
                            : "it was changed or replaced";
            throw new BadRequestException("cannot read " + file + ": " + what + " while it was being read");
        }
    }

    /**
     * Explains an error from mapped memory: the file was changed, or a disk failed.
     *
     * @throws BadRequestException if it is this file that was changed
     */
    public MissingRequirementException explain(InternalError error) {
        Objects.requireNonNull(error, "error");
        requireUnchanged();
        return new MissingRequirementException("a file that is mapped into memory, such as " + file
                + ", could not be read or written any more: it was cut short, or its disk failed or is full", error);
    }

    /** {@code a.bin as it was}. */
    @Override
    public String toString() {
        return file + " as it was";
    }
}
