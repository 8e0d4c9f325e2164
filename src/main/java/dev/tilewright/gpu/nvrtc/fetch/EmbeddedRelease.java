package dev.tilewright.gpu.nvrtc.fetch;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.io.host.HostEnvironment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The NVRTC releases that can be taken from Maven, with the facts that pin them: the version of
 * {@code org.bytedeco:cuda-redist}, and the size and SHA-256 of the two files, computed from the published jars.
 */
enum EmbeddedRelease {

    /** For drivers of CUDA 12, which load no cubins of a newer major version. */
    CUDA_12_9(new NvrtcVersion(12, 9), "12.9-9.10-1.5.12", 43,
            pinned("libnvrtc.so.12", 106_237_008,
                    "c3430e8b6b0d8d3a74f5f839118a85e13e3ad6e4d6203ea1b6a27a0c0b4fe10a"),
            pinned("libnvrtc-builtins.so.12.9", 7_202_760,
                    "6507cf33450cfb22970c2c1e7aa8e7c0a33e39d864720277b05f61a92791e2e8")),

    CUDA_13_3(new NvrtcVersion(13, 3), "13.3-9.25-1.5.14", 49,
            pinned("libnvrtc.so.13", 120_072_328,
                    "afff6fa2eae856b90f66c2d83bbce4a4177404c506291e3a83486244d86c2815"),
            pinned("libnvrtc-builtins.so.13.3", 6_555_592,
                    "7394c640e5761d13d2bbcdbc4b4c5dbac7cb53cd5bc732d78f8a5cb38638e913"));

    private final NvrtcVersion version;
    private final String mavenVersion;
    private final int mebibytes;
    private final PinnedFile library;
    private final PinnedFile builtins;

    EmbeddedRelease(NvrtcVersion version, String mavenVersion, int mebibytes, PinnedFile library, PinnedFile builtins) {
        this.version = version;
        this.mavenVersion = mavenVersion;
        this.mebibytes = mebibytes;
        this.library = library;
        this.builtins = builtins;
    }

    /**
     * The release that property {@code tilewright.nvrtc.embedded} or variable TILEWRIGHT_NVRTC_EMBEDDED names, else the
     * newest whose cubins the driver loads: those of its own major version and of older ones (CUDA's rules for
     * compatibility).
     *
     * @param driver the newest CUDA that the driver knows; empty where there is no driver
     * @throws BadRequestException if the setting names one that is not here
     */
    static EmbeddedRelease chosen(HostEnvironment environment, Optional<NvrtcVersion> driver) {
        return environment.setting("tilewright.nvrtc.embedded", "TILEWRIGHT_NVRTC_EMBEDDED")
                .map(s -> Arrays.stream(values())
                        .filter(r -> r.version.toString().equals(s.value()))
                        .findFirst()
                        .orElseThrow(() -> new BadRequestException(s.name() + " is '" + s.value()
                                + "', and the embedded NVRTC is one of " + known())))
                .orElseGet(() -> newestFor(driver));
    }

    private static EmbeddedRelease newestFor(Optional<NvrtcVersion> driver) {
        return Arrays.stream(values())
                .filter(r -> driver.isEmpty() || r.version.major() <= driver.get().major())
                .max(Comparator.comparing(r -> r.version))
                .orElse(CUDA_12_9);
    }

    /** The release of this version. */
    static EmbeddedRelease of(NvrtcVersion version) {
        return Arrays.stream(values()).filter(r -> r.version.equals(version)).findFirst().orElseThrow();
    }

    private static String known() {
        return Arrays.stream(values()).map(r -> r.version.toString()).collect(Collectors.joining(", "));
    }

    private static PinnedFile pinned(String name, long bytes, String sha256) {
        return new PinnedFile("org/bytedeco/cuda/linux-x86_64/" + name, bytes, sha256);
    }

    NvrtcVersion version() {
        return version;
    }

    /** What the two files take in the jar, in MiB: what is fetched. */
    int mebibytes() {
        return mebibytes;
    }

    PinnedFile library() {
        return library;
    }

    /** In the order in which they are published: where libnvrtc is, its builtins are. */
    List<PinnedFile> files() {
        return List.of(builtins, library);
    }

    /** The jar's path in a Maven repository. */
    String jarPath() {
        return "org/bytedeco/cuda-redist/" + mavenVersion + "/cuda-redist-" + mavenVersion + "-linux-x86_64.jar";
    }
}
