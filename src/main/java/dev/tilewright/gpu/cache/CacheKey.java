package dev.tilewright.gpu.cache;

import dev.tilewright.io.AtomicFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The secret of a cache's folder: 32 random bytes in a file that its owner alone can read. Entries are signed with it,
 * so that whatever else comes to lie in the folder (unpacked from an archive, copied from another machine, put there by
 * a program that may write but not read) is not taken for a kernel.
 */
final class CacheKey {

    private static final String NAME = ".key";
    private static final int BYTES = 32;
    private static final Set<PosixFilePermission> OWNER =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private CacheKey() { }

    /** The key of a folder; empty if it has none, or one that others can read. */
    static Optional<byte[]> read(Path folder) {
        try {
            Path file = folder.resolve(NAME);
            if (!isPrivate(file)) {
                return Optional.empty();
            }
            return CacheFolder.bytes(file, BYTES).filter(key -> key.length == BYTES);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The key of a folder, which is given one if it has none; others may do the same at the same time. */
    static byte[] readOrCreate(Path folder) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Optional<byte[]> key = read(folder);
            if (key.isPresent()) {
                return key.get();
            }
            if (attempt > 3) {
                throw new IOException("the key of its entries, " + folder.resolve(NAME) + ", cannot be read");
            }
            create(folder);
        }
    }

    private static boolean isPrivate(Path file) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        return view == null
                || view.readAttributes().isRegularFile() && OWNER.equals(view.readAttributes().permissions());
    }

    /** Under another name first, then linked: where a key is, it is whole. */
    private static void create(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            // Of no use to anyone: too short, or no secret.
            deleteIfUnusable(file);
        }
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        try (AtomicFile fresh = AtomicFile.replacing(file)) {
            createPrivate(fresh.path());
            Files.write(fresh.path(), key);
            Files.createLink(file, fresh.path());
        } catch (FileAlreadyExistsException e) {
            // Another has made one: that is the one.
        }
    }

    private static void deleteIfUnusable(Path file) throws IOException {
        try {
            if (!isPrivate(file) || Files.size(file) != BYTES) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            // Another has.
        }
    }

    private static void createPrivate(Path file) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER));
        } catch (UnsupportedOperationException e) {
            Files.createFile(file);
        }
    }
}
