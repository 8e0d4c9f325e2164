package dev.tilewright.io;

import dev.tilewright.NotNull;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;

/**
 * A file that others see whole or not at all: it is written under another name beside its own, and renamed when it is
 * finished. Until then a file of its name is as it was; without a {@link #commit} nothing remains. Only a
 * process that is killed leaves a file, whose name begins with {@link #UNFINISHED}: {@link UnfinishedFiles} removes it
 * when the folder is next written to.
 *
 * <pre>{@code
 * try (AtomicFile file = AtomicFile.replacing(target)) {
 *     Files.write(file.path(), content);
 *     file.commit();
 * }
 * }</pre>
 */
public final class AtomicFile implements AutoCloseable {

    /** How the names of unfinished files begin. */
    public static final String UNFINISHED = ".unfinished-";

    /** How old an unfinished file is when a writer that cannot be looked for is taken for dead. */
    private static final Duration ELSEWHERE = Duration.ofDays(1);

    private final Path target;
    private final Path path;
    private final Thread atExit = new Thread(this::delete);
    private boolean open = true;

    private AtomicFile(Path target) {
        this.target = target;
        this.path = target.resolveSibling(UnfinishedFiles.newName(target.getFileName().toString()));
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process is ending: nothing but close() deletes it.
        }
    }

    /**
     * Starts a file of this name, which replaces what has that name then, be it a symbolic link. Creates nothing yet.
     */
    public static AtomicFile replacing(Path file) {
        Objects.requireNonNull(file, "file");
        return new AtomicFile(file);
    }

    /**
     * Starts a file that a person has named: where that is a symbolic link, the file that it leads to. It is there at
     * once, empty, so that it never has other permissions than the file that it replaces. Its folder is made where
     * there is none; what processes that were killed have left in the folder is removed.
     *
     * @throws IOException as {@link #requirePlace}, or if it cannot be created
     */
    public static AtomicFile named(Path file) throws IOException {
        Objects.requireNonNull(file, "file");
        Path place = place(file);
        UnfinishedFiles.removeFrom(place.getParent(), ELSEWHERE);
        AtomicFile unfinished = new AtomicFile(place);
        try {
            FilePermissions.create(unfinished.path, place);
        } catch (IOException e) {
            unfinished.close();
            throw e;
        }
        return unfinished;
    }

    /**
     * Refuses a place where {@link #named} could write no file, so that no long work is begun for it: begins one, and
     * removes it, but not its folder.
     *
     * @throws IOException if its folder cannot be made or written, or it is a folder, a device such as
     *     {@code /dev/null}, or a file that may not be written, with the reason
     */
    public static void requirePlace(Path file) throws IOException {
        try (AtomicFile tried = named(file)) {
            Objects.requireNonNull(tried);
        } catch (NoSuchFileException e) {
            // As in /proc, whose permissions do not say so.
            throw new IOException("no file can be made in " + place(file).getParent(), e);
        }
    }

    /** Writes a file, or replaces it. Its folder must exist. */
    public static void write(Path file, byte[] content) throws IOException {
        NotNull.all("file, content", file, content);
        try (AtomicFile unfinished = replacing(file)) {
            Files.write(unfinished.path, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            unfinished.commit();
        }
    }

    /**
     * The path to write the content to, before the {@link #commit}: after {@link #replacing} no file has this name yet,
     * after {@link #named} it is empty.
     */
    public Path path() {
        return path;
    }

    /**
     * Gives the finished file its name.
     *
     * @throws IOException if that is not possible; {@link #close} deletes the file then
     * @throws IllegalStateException if this was committed or closed before
     */
    public void commit() throws IOException {
        if (!open) {
            throw new IllegalStateException(target + " has been committed or closed before");
        }
        Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        finish();
    }

    /** Closes the file; without a {@link #commit} before, deletes what has been written. */
    @Override
    public void close() {
        if (open) {
            delete();
            finish();
        }
    }

    private void finish() {
        open = false;
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook runs or has run.
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // What went wrong before is what the caller has to know.
        }
    }

    /** The file to replace, with symbolic links followed. */
    private static Path place(Path file) throws IOException {
        Path path = file.toAbsolutePath();
        if (Files.isSymbolicLink(path)) {
            path = Files.exists(path) ? path.toRealPath() : path.resolveSibling(Files.readSymbolicLink(path));
        }
        Path folder = path.getParent();
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("it is " + (Files.isDirectory(path) ? "a folder" : "not a regular file"));
            }
            if (!Files.isWritable(path)) {
                throw new AccessDeniedException(path.toString());
            }
        } else if (!Files.isDirectory(folder)) {
            make(folder);
        }
        if (!Files.isWritable(folder)) {
            throw new AccessDeniedException(folder.toString());
        }
        return path;
    }

    private static void make(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new IOException("the folder " + folder + " cannot be made: " + FileProblem.reason(e), e);
        }
    }

    /** {@code a.bin, being written}. */
    @Override
    public String toString() {
        return target + (open ? ", being written" : "");
    }
}
