package dev.tilewright.gpu.nvrtc.locate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.host.FakeMachine;
import dev.tilewright.gpu.nvrtc.LibraryFolder;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of the rules and the reasons of rejections, on machines made of temporary folders. */
class NvrtcLocatorTest {

    @TempDir
    Path root;

    private FakeMachine machine;
    private Optional<NvrtcVersion> driver = Optional.empty();
    private final List<Path> loaded = new ArrayList<>();

    @BeforeEach
    void machine() {
        machine = new FakeMachine(root);
        machine.variables.put("TILEWRIGHT_MAVEN_REPOSITORY", root.resolve("no-mirror").toString());
    }

    private NvrtcLocator locator() {
        return new NvrtcLocator(machine.environment(), file -> {
            loaded.add(file);
            if (file.toString().contains("broken")) {
                throw new MissingRequirementException(file + ": it does not load");
            }
            return file.toString().contains("cuda-13.0/") ? new NvrtcVersion(13, 0) : new NvrtcVersion(12, 9);
        }, driver);
    }

    @Test
    void whatIsNewerThanTheDriverIsPassedOverUnlessTheUserNamesIt() {
        Path newer = machine.nvrtc("usr/local/cuda-13.0/lib64", "13.0");
        assertEquals(newer, found().file());
        driver = Optional.of(new NvrtcVersion(13, 0));
        assertEquals(newer, found().file());
        driver = Optional.of(new NvrtcVersion(12, 8));
        assertTrue(failure().startsWith("no NVRTC is installed here, and the embedded NVRTC 12.9 cannot be fetched"));
        assertTrue(locator().survey().rejected().stream().anyMatch(r -> r.reason()
                .equals("it is NVRTC 13.0, and the driver"
                + " here is of CUDA 12.8, which need not load its cubins")));
        Path older = machine.nvrtc("usr/local/cuda-12.9/lib64", "12.9");
        assertEquals(older, found().file());
        machine.variables.put("TILEWRIGHT_NVRTC", newer.toString());
        assertEquals(newer, found().file());
    }

    /** Each file once, by the first rule that leads to it, with the version that the names beside it tell. */
    @Test
    void everyCopyIsListedAndNoneLoaded() throws IOException {
        Path named = machine.nvrtc("opt/named/lib64", "12.8");
        Path usual = machine.nvrtc("usr/local/cuda-13.0/lib64", "13.0");
        Files.createSymbolicLink(root.resolve("usr/local/cuda"), Path.of("cuda-13.0"));
        Path bare = machine.elf("usr/lib/x86_64-linux-gnu/libnvrtc.so.12", 62);
        machine.variables.put("CUDA_HOME", root.resolve("opt/named").toString());
        assertEquals(List.of(new NvrtcCopy(named, NvrtcRule.CUDA_HOME, Optional.of(new NvrtcVersion(12, 8))),
                new NvrtcCopy(root.resolve("usr/local/cuda/lib64").resolve(usual.getFileName()),
                NvrtcRule.TOOLKIT_FOLDER,
                        Optional.of(new NvrtcVersion(13, 0))),
                new NvrtcCopy(bare, NvrtcRule.TOOLKIT_FOLDER, Optional.of(new NvrtcVersion(12, 0)))),
                locator().copies());
        machine.variables.put("TILEWRIGHT_NVRTC", bare.toString());
        assertEquals(NvrtcRule.EXPLICIT_SETTING, locator().copies().getFirst().rule());
        assertEquals(3, locator().copies().size());
        assertEquals(List.of(), loaded);
    }

    private NvrtcLocation found() {
        return locator().find(Progress.NONE).found().orElseThrow();
    }

    private void assertFound(NvrtcRule rule, Path file) {
        assertEquals(new NvrtcLocation(file, rule, new NvrtcVersion(12, 9), 64), found());
        assertEquals(List.of(file), loaded);
    }

    private String failure() {
        return assertThrows(MissingRequirementException.class, this::found).getMessage();
    }

    @Test
    void eachRuleGoesBeforeTheNext() throws IOException {
        Path loader = machine.nvrtc("loader", "12.1");
        machine.variables.put("LD_LIBRARY_PATH", root.resolve("loader").toString());
        assertFound(NvrtcRule.DYNAMIC_LOADER, loader);

        Path debian = machine.nvrtc("usr/lib/x86_64-linux-gnu", "12.2");
        loaded.clear();
        assertFound(NvrtcRule.TOOLKIT_FOLDER, debian);

        Path arch = machine.nvrtc("opt/cuda/lib64", "12.3");
        loaded.clear();
        assertFound(NvrtcRule.TOOLKIT_FOLDER, arch);

        Path older = machine.nvrtc("usr/local/cuda-12.9/targets/x86_64-linux/lib", "12.9");
        loaded.clear();
        assertFound(NvrtcRule.TOOLKIT_FOLDER, older);

        Path newer = machine.nvrtc("usr/local/cuda-12.10/lib64", "12.10");
        loaded.clear();
        assertFound(NvrtcRule.TOOLKIT_FOLDER, newer);

        Path linked = machine.nvrtc("usr/local/cuda/lib64", "12.4");
        loaded.clear();
        assertFound(NvrtcRule.TOOLKIT_FOLDER, linked);

        Path cudaPath = machine.nvrtc("path/lib", "12.5");
        machine.variables.put("CUDA_PATH", root.resolve("path").toString());
        loaded.clear();
        assertFound(NvrtcRule.CUDA_PATH, cudaPath);

        Path cudaHome = machine.nvrtc("home/lib64", "12.6");
        machine.variables.put("CUDA_HOME", root.resolve("home").toString());
        loaded.clear();
        assertFound(NvrtcRule.CUDA_HOME, cudaHome);

        Path explicit = machine.nvrtc("explicit", "12.7");
        machine.variables.put("TILEWRIGHT_NVRTC", explicit.toString());
        loaded.clear();
        assertFound(NvrtcRule.EXPLICIT_SETTING, explicit);

        Path property = machine.nvrtc("property", "12.8");
        machine.properties.put("tilewright.nvrtc", property.getParent().toString());
        loaded.clear();
        assertFound(NvrtcRule.EXPLICIT_SETTING, property);
    }

    @Test
    void anExplicitToolkitFolderIsSearchedAsToolkitsAre() {
        Path library = machine.nvrtc("kit/targets/x86_64-linux/lib", "12.7");
        machine.variables.put("TILEWRIGHT_NVRTC", root.resolve("kit").toString());
        assertFound(NvrtcRule.EXPLICIT_SETTING, library);
    }

    @Test
    void aBlankSettingCountsAsNone() {
        Path home = machine.nvrtc("home/lib64", "12.6");
        machine.variables.put("CUDA_HOME", root.resolve("home").toString());
        machine.variables.put("TILEWRIGHT_NVRTC", " ");
        assertFound(NvrtcRule.CUDA_HOME, home);
    }

    @Test
    void anExplicitSettingThatDoesNotWorkIsAnErrorThoughAnotherWould() {
        machine.nvrtc("usr/local/cuda/lib64", "12.4");
        machine.variables.put("TILEWRIGHT_NVRTC", "/no/such/libnvrtc.so");
        assertEquals("TILEWRIGHT_NVRTC is set to /no/such/libnvrtc.so, which is no NVRTC that can be used: there is no "
                + "such"
                + " file; set it to a libnvrtc.so or its folder, or unset it", failure());
        NvrtcSearch survey = locator().survey();
        assertTrue(survey.found().isEmpty());
        assertEquals(NvrtcRule.EXPLICIT_SETTING, survey.rejected().getFirst().rule());
    }

    @Test
    void anExplicitLibraryThatDoesNotLoadIsAnError() {
        Path broken = machine.nvrtc("broken", "12.9");
        machine.properties.put("tilewright.nvrtc", broken.toString());
        assertTrue(failure().startsWith("tilewright.nvrtc is set to " + broken
                + ", which is no NVRTC that can be used: " + broken + ": it does not load;"));
    }

    @Test
    void whatDoesNotDoIsPassedOverWithTheReason() throws IOException {
        machine.elf("arm/lib64/libnvrtc.so.12", 183);
        machine.variables.put("CUDA_HOME", root.resolve("arm").toString());
        machine.elf("lonely/lib64/libnvrtc.so.13", 62);
        machine.variables.put("CUDA_PATH", root.resolve("lonely").toString());
        machine.file("usr/local/cuda/lib64/libnvrtc.so", "GROUP ( -lnvrtc )  /* a linker's script */".getBytes());
        machine.nvrtc("usr/local/cuda-13.1-broken/lib64", "13.1");
        Files.createDirectories(root.resolve("usr/local/cuda-13.0/lib64"));
        machine.elf("usr/local/cuda-11.2/lib64/libnvrtc.so.11.2", 62);
        Path good = machine.nvrtc("opt/cuda/lib64", "12.3");

        NvrtcSearch search = locator().find(Progress.NONE);
        assertEquals(good, search.found().orElseThrow().file());
        assertEquals(List.of(
                "CUDA_HOME: " + root + "/arm/lib64/libnvrtc.so.12: it is for another processor (ELF machine 183, not "
                + "62)", "CUDA_PATH: " + root + "/lonely/lib64/libnvrtc.so.13: libnvrtc-builtins.so is not beside it, "
                + "without which"
                        + " it compiles nothing",
                "usual toolkit folder: " + root + "/usr/local/cuda/lib64/libnvrtc.so: it is not a 64-bit ELF library",
                "usual toolkit folder: " + root + "/usr/local/cuda-13.1-broken/lib64/libnvrtc.so.13: "
                        + root + "/usr/local/cuda-13.1-broken/lib64/libnvrtc.so.13: it does not load",
                "usual toolkit folder: " + root + "/usr/local/cuda-13.0: there is no libnvrtc.so in it, nor in its "
                + "lib64,"
                        + " lib, targets/x86_64-linux/lib",
                "usual toolkit folder: " + root + "/usr/local/cuda-11.2/lib64/libnvrtc.so.11.2: it is NVRTC 11, and "
                + "12.0 or"
                        + " newer is needed"),
                search.rejected().stream().map(Object::toString).toList());
    }

    @Test
    void whatAnybodyCouldHavePutThereIsPassedOverUnlessTheUserNamesIt() throws IOException {
        Path library = machine.nvrtc("usr/local/cuda/lib64", "12.4");
        Path open = library.getParent();
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertTrue(failure().startsWith("no NVRTC is installed here"));
        assertEquals("usual toolkit folder: " + library + ": " + open + " can be written by everyone (mode 777; chmod "
                + "o-w ends"
                + " that)", locator().survey().rejected().getFirst().toString());
        machine.variables.put("TILEWRIGHT_NVRTC", library.toString());
        assertEquals(library, found().file());
    }

    @Test
    void relativeFoldersAreNoPlaces() {
        machine.variables.put("CUDA_HOME", "cuda");
        machine.variables.put("LD_LIBRARY_PATH", "lib:.:");
        assertTrue(failure().startsWith("no NVRTC is installed here"));
    }

    @Test
    void theNewestOfOneFolderIsTakenByItsShortestName() {
        machine.nvrtc("kit/lib64", "12.9");
        Path newest = machine.nvrtc("kit/lib64", "13.0");
        machine.elf("kit/lib64/libnvrtc.so.12.9.86", 62);
        machine.elf("kit/lib64/libnvrtc.so", 62);
        machine.elf("kit/lib64/libnvrtc_static.a", 62);
        machine.variables.put("CUDA_HOME", root.resolve("kit").toString());
        assertEquals(newest, found().file());
    }

    @Test
    void builtinsMayLieBesideTheFileThatALinkLeadsTo() throws IOException {
        Path real = machine.nvrtc("store", "12.9");
        Path link = root.resolve("kit/lib64/libnvrtc.so");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, real);
        machine.variables.put("CUDA_HOME", root.resolve("kit").toString());
        assertEquals(link, found().file());
        assertEquals(root.toRealPath().resolve("store/libnvrtc-builtins.so.12.9"),
                LibraryFolder.builtinsBeside(link, new NvrtcVersion(12, 9)).orElseThrow());
    }

    @Test
    void aMachineWithNothingSaysWhatToDo() {
        String message = failure();
        assertTrue(message.startsWith("no NVRTC is installed here, and the embedded NVRTC 13.3 cannot be fetched "
                + "from "), message);
        assertTrue(message.contains("set TILEWRIGHT_NVRTC to a libnvrtc.so"), message);
        assertTrue(message.contains("set TILEWRIGHT_MAVEN_REPOSITORY to a Maven mirror"), message);
        assertFalse(message.contains("\n"));
    }

    @Test
    void aSurveyFetchesNothing() {
        NvrtcSearch survey = locator().survey();
        assertTrue(survey.found().isEmpty());
        NvrtcSearch.Rejection last = survey.rejected().getLast();
        assertEquals(NvrtcRule.EMBEDDED, last.rule());
        assertEquals("not there yet: the first compilation fetches 49 MiB from " + root.resolve("no-mirror"),
                last.reason());
        assertEquals(NvrtcRule.DYNAMIC_LOADER, survey.rejected().get(survey.rejected().size() - 2).rule());
        assertFalse(Files.exists(root.resolve("home")));
    }

    @Test
    void theWordEmbeddedPassesOverWhatIsInstalled() {
        machine.nvrtc("usr/local/cuda/lib64", "12.4");
        machine.variables.put("TILEWRIGHT_NVRTC", "embedded");
        assertTrue(failure().startsWith("the embedded NVRTC 13.3 cannot be fetched from "));
        assertTrue(locator().survey().found().isEmpty());
    }

    @Test
    void anotherSystemIsToldThatTheEmbeddedCopyIsNotForIt() {
        machine.properties.put("os.name", "Mac OS X");
        machine.properties.put("os.arch", "aarch64");
        assertEquals("no NVRTC is installed here, and the embedded NVRTC is for Linux on x86-64 and this is Mac OS X"
                + " aarch64: install the CUDA toolkit and set TILEWRIGHT_NVRTC to its NVRTC library", failure());
    }

    @Test
    void anUnknownEmbeddedReleaseIsABadRequest() {
        machine.variables.put("TILEWRIGHT_NVRTC_EMBEDDED", "11.8");
        assertEquals("TILEWRIGHT_NVRTC_EMBEDDED is '11.8', and the embedded NVRTC is one of 12.9, 13.3",
                assertThrows(BadRequestException.class, this::locator).getMessage());
    }
}
