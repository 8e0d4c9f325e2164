package dev.tilewright.gpu.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/**
 * Folders whose contents this user alone decides, the superuser aside: what is loaded into this process, or onto a GPU,
 * is taken from no others. Each folder on the way counts too, since who may rename one may put another in its place; a
 * sticky one, such as {@code /tmp}, lets no other user do that with what is another's.
 */
public final class TrustedFolder {

    private static final int GROUP_WRITES = 0020;
    private static final int OTHERS_WRITE = 0002;
    private static final int STICKY = 01000;

    private TrustedFolder() { }

    /** Whose process this is. */
    private static final class Self {
        static final int UID = uid();
        /** The number that the owners have whom a user namespace does not know: the superuser outside of it is one. */
        static final int UNKNOWN = isWholeMachine() ? -1 : 65534;

        private static int uid() {
            try {
                return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
                return -1;
            }
        }

        private static boolean isWholeMachine() {
            try {
                return Files.readString(Path.of("/proc/self/uid_map")).strip().split("\\s+")[2].equals("4294967295");
            } catch (IOException | IndexOutOfBoundsException e) {
                return true;
            }
        }
    }

    /**
     * Why a folder must not be used, in words that go on after "it is not used: "; empty if it may be. For a folder
     * that does not exist yet, its existing parents count.
     *
     * @param folder absolute
     */
    public static Optional<String> objection(Path folder) {
        return objection(folder, true);
    }

    /**
     * Why nothing must be loaded from a folder that an administrator, of whatever name, or this user has chosen: anyone
     * may write to it. Empty if something may be.
     *
     * @param folder absolute
     */
    public static Optional<String> openToAll(Path folder) {
        return objection(folder, false);
    }

    /** @param own whether it must be this user's */
    private static Optional<String> objection(Path folder, boolean own) {
        if (!folder.isAbsolute()) {
            return Optional.of(folder + " is a relative path: what it means depends on where a program is started");
        }
        if (Self.UID < 0) {
            // No Linux: no numbers to compare.
            return Optional.empty();
        }
        try {
            Path path = folder.normalize();
            Optional<String> objection = alongThe(path, own);
            if (objection.isPresent()) {
                return objection;
            }
            Path there = path;
            while (!Files.exists(there)) {
                there = there.getParent();
            }
            Path real = there.toRealPath();
            return real.equals(there) ? Optional.empty() : alongThe(real.resolve(there.relativize(path)), own);
        } catch (IOException e) {
            return Optional.of(folder + " cannot be looked at (" + e.getMessage() + ")");
        }
    }

    /** Makes a folder, and those above it that are missing, for this user alone. */
    public static void create(Path folder) throws IOException {
        try {
            Files.createDirectories(folder,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (UnsupportedOperationException e) {
            Files.createDirectories(folder);
        }
    }

    private static Optional<String> alongThe(Path path, boolean own) throws IOException {
        Path at = path.getRoot();
        for (Path name : path) {
            // Where anyone may change the root folder, as in some containers, this process was not safe from the start.
            Optional<String> objection =
                    at.equals(path.getRoot()) ? Optional.empty() : objectionTo(at, own, false);
            if (objection.isPresent()) {
                return objection;
            }
            at = at.resolve(name);
            if (!Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.empty();
            }
        }
        return objectionTo(at, own, true);
    }

    private static Optional<String> objectionTo(Path folder, boolean own, boolean last) throws IOException {
        Map<String, Object> facts = Files.readAttributes(folder, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
        int uid = (int) facts.get("uid");
        int mode = (int) facts.get("mode");
        boolean system = uid == 0 || uid == Self.UNKNOWN && !last;
        if (own && uid != Self.UID && !system) {
            return Optional.of(folder + " belongs to another user (" + uid + ")");
        }
        if (Files.isSymbolicLink(folder)) {
            // Anyone may write it, and none does: its owner has made it.
            return Optional.empty();
        }
        boolean others = (mode & OTHERS_WRITE) != 0;
        boolean group = own && (mode & GROUP_WRITES) != 0 && !isPrivateGroup(folder);
        boolean safe = !last && (mode & STICKY) != 0;
        return (others || group) && !safe
                ? Optional.of(folder + " can be written by " + (others ? "everyone" : "its group") + " (mode "
                        + Integer.toOctalString(mode & 07777) + "; chmod " + (others ? "o" : "g") + "-w ends that)")
                : Optional.empty();
    }

    /** Many systems give each user a group of the same name, and let it write whatever its user may. */
    private static boolean isPrivateGroup(Path folder) throws IOException {
        PosixFileAttributes facts =
                Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        GroupPrincipal group = facts.group();
        return group.getName().equals(facts.owner().getName());
    }
}
