package dev.tilewright.gpu.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose folders are used: this user's and the system's, if nobody else may change what is in them. */
class TrustedFolderTest {
    @TempDir
    Path root;

    @BeforeEach
    void linux() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "no Linux");
    }

    private Path folder(String path, String permissions) throws IOException {
        Path folder = Files.createDirectories(root.resolve(path));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
        return folder;
    }

    @Test
    void onesOwnAreTrustedWhetherTheyAreThereOrNot() throws IOException {
        assertEquals(Optional.empty(), TrustedFolder.objection(folder("a", "rwxr-xr-x")));
        assertEquals(Optional.empty(), TrustedFolder.objection(root.resolve("a/b/c")));
        TrustedFolder.create(root.resolve("a/b/c"));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("a/b"))));
        assertEquals(Optional.empty(), TrustedFolder.objection(root.resolve("a/b/c")));
        assertEquals(Optional.empty(), TrustedFolder.objection(Path.of("/usr/lib")));
    }

    @ParameterizedTest
    @CsvSource({"rwxrwxrwx, everyone, 777, o", "rwx----w-, everyone, 702, o"})
    void whatOthersMayWriteIsNot(String permissions, String who, String mode, String flag) throws IOException {
        Path open = folder("a", permissions);
        String objection = open + " can be written by " + who + " (mode " + mode + "; chmod " + flag + "-w ends that)";
        assertEquals(Optional.of(objection), TrustedFolder.objection(open));
        // What lies in it could be replaced.
        assertEquals(Optional.of(objection), TrustedFolder.objection(folder("a/mine", "rwx------")));
        assertEquals(Optional.of(objection), TrustedFolder.objection(root.resolve("a/mine/later")));
    }

    @Test
    void aGroupOfTheUsersOwnIsTheUser() throws IOException {
        Path folder = folder("a", "rwxrwxr-x");
        String owner = Files.getOwner(folder).getName();
        String group = Files.getAttribute(folder, "posix:group").toString();
        assumeTrue(owner.equals(group), "this user's group is " + group);
        assertEquals(Optional.empty(), TrustedFolder.objection(folder));
    }

    @Test
    void anothersFolderOrGroupIsNot() throws IOException {
        Path folder = folder("a/b", "rwxr-xr-x");
        try {
            Files.setAttribute(root.resolve("a"), "unix:uid", 12345);
        } catch (IOException e) {
            assumeTrue(false, "only the superuser can try this");
        }
        assertEquals(Optional.of(root + "/a belongs to another user (12345)"), TrustedFolder.objection(folder));
        Files.setAttribute(root.resolve("a"), "unix:uid", Files.getAttribute(root, "unix:uid"));
        assertEquals(Optional.empty(), TrustedFolder.objection(folder));
        Files.setAttribute(folder, "unix:gid", 23456);
        assertEquals(Optional.empty(), TrustedFolder.objection(folder));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwx---"));
        assertEquals(Optional.of(folder + " can be written by its group (mode 770; chmod g-w ends that)"),
                TrustedFolder.objection(folder));
    }

    @Test
    void aStickyFolderIsOnTheWayButNotTheFolder() throws IOException {
        Path sticky = folder("tmp", "rwxrwxrwx");
        Files.setAttribute(sticky, "unix:mode", 01777);
        assertEquals(Optional.empty(), TrustedFolder.objection(folder("tmp/mine", "rwx------")));
        assertTrue(TrustedFolder.objection(sticky).orElseThrow().contains("can be written by everyone (mode 1777;"));
    }

    @Test
    void linksAreFollowed() throws IOException {
        folder("open", "rwxrwxrwx");
        Path mine = folder("open/mine", "rwx------");
        Path link = Files.createSymbolicLink(root.resolve("link"), mine);
        assertTrue(TrustedFolder.objection(link).orElseThrow().startsWith(root.resolve("open") + " can be written"));
        assertTrue(TrustedFolder.objection(link.resolve("later")).isPresent());
        Path good = Files.createSymbolicLink(root.resolve("good"), folder("closed", "rwx------"));
        assertEquals(Optional.empty(), TrustedFolder.objection(good.resolve("later")));
    }

    @Test
    void relativePathsAreNot() {
        assertEquals(Optional.of("cache is a relative path: what it means depends on where a program is started"),
                TrustedFolder.objection(Path.of("cache")));
    }
}
