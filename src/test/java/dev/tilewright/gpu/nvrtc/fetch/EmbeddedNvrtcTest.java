package dev.tilewright.gpu.nvrtc.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.host.FakeMachine;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of the embedded copy when it cannot be had; that it can is the business of NvrtcTest. */
class EmbeddedNvrtcTest {

    private static final byte[] FORGED = RemoteZipTest.zip(Map.of(
            "org/bytedeco/cuda/linux-x86_64/libnvrtc.so.12", RemoteZipTest.content(5_000, 1),
            "org/bytedeco/cuda/linux-x86_64/libnvrtc-builtins.so.12.9", RemoteZipTest.content(5_000, 2)), true, null);

    @TempDir
    Path root;

    private FakeMachine machine;

    @BeforeEach
    void machine() {
        machine = new FakeMachine(root);
    }

    /** On a machine whose driver is of CUDA 12. */
    private EmbeddedNvrtc embedded() {
        return new EmbeddedNvrtc(machine.environment(), Optional.of(new NvrtcVersion(12, 4)));
    }

    private String failure() {
        EmbeddedNvrtc embedded = embedded();
        String message = assertThrows(MissingRequirementException.class, () -> embedded.obtain(Progress.NONE))
                .getMessage();
        assertFalse(embedded.isReady());
        assertFalse(message.contains("\n"), message);
        return message;
    }

    @ParameterizedTest
    @CsvSource({"11.8, 12.9", "12.0, 12.9", "12.9, 12.9", "13.0, 13.3", "13.9, 13.3", "14.0, 13.3"})
    void theDriverChoosesTheRelease(String driver, String release) {
        assertEquals(NvrtcVersion.parse(release),
                new EmbeddedNvrtc(machine.environment(), Optional.of(NvrtcVersion.parse(driver))).version());
    }

    @Test
    void withoutADriverItIsTheNewest() {
        assertEquals(new NvrtcVersion(13, 3), new EmbeddedNvrtc(machine.environment(), Optional.empty()).version());
    }

    @Test
    void theSettingsChooseTheRelease() {
        assertEquals(new NvrtcVersion(12, 9), embedded().version());
        machine.variables.put("TILEWRIGHT_NVRTC_EMBEDDED", "13.3");
        assertEquals(new NvrtcVersion(13, 3), embedded().version());
        machine.properties.put("tilewright.nvrtc.embedded", "12.9");
        assertEquals(new NvrtcVersion(12, 9), embedded().version());
    }

    @Test
    void itLiesInTheUsersCache() {
        assertEquals(root.resolve("home/user/.cache/tilewright/nvrtc/12.9/libnvrtc.so.12"),
                embedded().file());
        machine.variables.put("XDG_CACHE_HOME", root.resolve("xdg").toString());
        assertEquals(root.resolve("xdg/tilewright/nvrtc/12.9/libnvrtc.so.12"),
                embedded().file());
        machine.variables.put("XDG_CACHE_HOME", "relative/is/ignored");
        assertEquals(root.resolve("home/user/.cache/tilewright/nvrtc/12.9/libnvrtc.so.12"),
                embedded().file());
    }

    @Test
    void filesOfAnotherSizeAreNotTakenForIt() {
        machine.file("home/user/.cache/tilewright/nvrtc/12.9/libnvrtc.so.12", new byte[10]);
        machine.file("home/user/.cache/tilewright/nvrtc/12.9/libnvrtc-builtins.so.12.9", new byte[10]);
        assertFalse(embedded().isReady());
    }

    @Test
    void aServerThatIsNotThereIsSaidWithWhatToDo() throws IOException {
        try (FileServer server = new FileServer(true)) {
            machine.variables.put("TILEWRIGHT_MAVEN_REPOSITORY", server.uri("/maven2/").toString());
            String jar = server.uri("/maven2/org/bytedeco/cuda-redist/12.9-9.10-1.5.12/").toString()
                    + "cuda-redist-12.9-9.10-1.5.12-linux-x86_64.jar";
            assertEquals("the embedded NVRTC 12.9 cannot be fetched from " + jar
                    + " (the server answers with HTTP status 404: it does not have the file): install the CUDA "
                    + "toolkit, set"
                    + " TILEWRIGHT_NVRTC to a libnvrtc.so, or set TILEWRIGHT_MAVEN_REPOSITORY to a Maven mirror that "
                    + "this"
                    + " machine reaches", failure());
            assertEquals(1, server.requests.size());
        }
    }

    @Test
    void aForgedJarIsRefusedWhereverItComesFrom() throws IOException {
        String path = "org/bytedeco/cuda-redist/12.9-9.10-1.5.12/cuda-redist-12.9-9.10-1.5.12-linux-x86_64.jar";
        machine.file("mirror/" + path, FORGED);
        machine.file("home/user/.m2/repository/" + path, FORGED);
        for (String mirror : new String[] {root.resolve("mirror").toString(), root.resolve("mirror").toUri()
                .toString()}) {
            machine.variables.put("TILEWRIGHT_MAVEN_REPOSITORY", mirror);
            String message = failure();
            assertTrue(message.contains(root + "/mirror/" + path) && message.contains("has SHA-256"), message);
        }
        try (FileServer server = new FileServer(true)) {
            server.files.put("/" + path, FORGED);
            machine.variables.put("TILEWRIGHT_MAVEN_REPOSITORY", server.uri("").toString());
            assertTrue(failure().contains("has SHA-256"));
        }
    }

    @Test
    void aCacheThatCannotBeWrittenIsSaidWithWhatToDo() {
        machine.file("home/user/.cache", new byte[0]);
        String message = failure();
        assertTrue(message.startsWith("the embedded NVRTC cannot be kept in " + root
                + "/home/user/.cache/tilewright/nvrtc/12.9 ("));
        assertTrue(message.endsWith("set XDG_CACHE_HOME to a folder that can be written, or TILEWRIGHT_NVRTC to a "
                + "libnvrtc.so"));
    }

    @Test
    void aUserWithoutAHomeIsToldWhatToDo() {
        machine.properties.put("user.home", "?");
        String message = assertThrows(MissingRequirementException.class, () -> embedded().obtain(Progress.NONE))
                .getMessage();
        assertEquals("the embedded NVRTC has no place to be kept in: this user has no home folder; set XDG_CACHE_HOME "
                + "to a"
                + " folder of yours, or TILEWRIGHT_NVRTC to a libnvrtc.so", message);
        assertFalse(embedded().isReady());
    }

    @Test
    void aFolderThatOthersMayWriteIsNotLoadedFrom() throws IOException {
        machine.file("home/user/.cache/tilewright/nvrtc/12.9/x", new byte[0]);
        Path open = root.resolve("home/user/.cache/tilewright");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals("the embedded NVRTC is not taken from, or kept in, " + open + "/nvrtc/12.9: " + open
                + " can be written by"
                + " everyone (mode 777; chmod o-w ends that); set XDG_CACHE_HOME to a folder of yours, or "
                + "TILEWRIGHT_NVRTC to a"
                + " libnvrtc.so", failure());
    }

    @Test
    void aRepositoryThatIsNoAddressIsABadRequest() {
        machine.variables.put("TILEWRIGHT_MAVEN_REPOSITORY", "http://not an address");
        EmbeddedNvrtc embedded = embedded();
        assertEquals("the Maven repository 'http://not an address' is no address and no folder",
                assertThrows(BadRequestException.class, () -> embedded.obtain(Progress.NONE)).getMessage());
    }

    @Test
    void everyPinIsADigest() {
        for (EmbeddedRelease release : EmbeddedRelease.values()) {
            for (PinnedFile file : release.files()) {
                assertTrue(file.sha256().matches("[0-9a-f]{64}"));
            }
            assertTrue(release.library().name().endsWith(".so." + release.version().major()));
        }
    }
}
