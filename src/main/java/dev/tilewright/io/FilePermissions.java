package dev.tilewright.io;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Lets a file that is written anew have the permissions, the owner and the group of the one that it replaces. */
final class FilePermissions {

    private static final Set<PosixFilePermission> OF_GROUP = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE);

    private FilePermissions() { }

    /**
     * Creates an empty file.
     *
     * @param model the file that it will replace; where there is none, the new one is as any new file
     * @throws FileAlreadyExistsException if it is there already
     */
    static void create(Path file, Path model) throws IOException {
        PosixFileAttributeView old = Files.getFileAttributeView(model, PosixFileAttributeView.class);
        if (old == null || !Files.exists(model)) {
            Files.createFile(file);
            return;
        }
        // No one else may open it before it has its own permissions.
        Files.createFile(file, PosixFilePermissions.asFileAttribute(EnumSet.of(PosixFilePermission.OWNER_READ,
                PosixFilePermission.OWNER_WRITE)));
        PosixFileAttributes wanted = old.readAttributes();
        PosixFileAttributeView own = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        permissions.addAll(wanted.permissions());
        if (!takesOver(own, wanted)) {
            permissions.removeAll(OF_GROUP);
        }
        own.setPermissions(permissions);
    }

    /** Whether the file has the group now; only the superuser can give it the owner too. */
    private static boolean takesOver(PosixFileAttributeView file, PosixFileAttributes wanted) throws IOException {
        PosixFileAttributes now = file.readAttributes();
        boolean group = now.group().equals(wanted.group());
        if (!group) {
            try {
                file.setGroup(wanted.group());
                group = true;
            } catch (IOException e) {
                // Not a member of it.
            }
        }
        if (!now.owner().equals(wanted.owner())) {
            try {
                file.setOwner(wanted.owner());
            } catch (IOException e) {
                // It is the writer's then, as any new file.
            }
        }
        return group;
    }
}
