package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.machine.NvrtcFacts.Copy;
import dev.tilewright.doctor.machine.NvrtcFacts;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What compiles kernels here, and whether the driver loads what it makes. */
final class CompilerFindings {
    private static final String NVRTC = "nvrtc";
    private static final String VERSIONS = "versions";
    private static final String COPIES = "nvrtcs";

    private CompilerFindings() { }

    /** Which NVRTC is taken, and what it compiles for. */
    static List<Notice> nvrtc(HostFacts machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        if (nvrtc.file().isEmpty()) {
            return List.of(absent(machine));
        }
        String fact = nvrtc.version() + ", " + nvrtc.file() + " (" + nvrtc.rule() + ")";
        if (!nvrtc.isReady()) {
            return List.of(Notice.broken(NVRTC, fact + ": " + nvrtc.problem(), machine.libraries().noexec()
                    && nvrtc.file().startsWith(machine.libraries().folder())
                    ? "its file system is mounted noexec: set XDG_CACHE_HOME to a folder on another"
                    : "set TILEWRIGHT_NVRTC to another, or to 'embedded' for the copy from Maven Central"));
        }
        return List.of(Notice.ok(NVRTC, fact), Notice.ok("targets", String.join(" ", nvrtc.targets())));
    }

    private static Notice absent(HostFacts machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        if (!nvrtc.problem().isEmpty()) {
            return Notice.broken(NVRTC, nvrtc.problem(),
                    "correct the setting, or unset it to have one found or fetched");
        }
        if (machine.libraries().noexec()) {
            return Notice.broken(NVRTC, "none is installed, and the one that the first compilation would fetch "
                    + "could not be loaded from " + machine.libraries().folder() + ", which is mounted noexec",
                    "set XDG_CACHE_HOME to a folder on another file system, or TILEWRIGHT_NVRTC to a libnvrtc.so");
        }
        return Notice.lack(NVRTC, "none in " + nvrtc.passedOver()
                .size() + " places that were looked at (--debug lists them)",
                "the first compilation fetches a copy from Maven Central (once per user); or set TILEWRIGHT_NVRTC to a"
                + " libnvrtc.so");
    }

    /**
     * Whether the driver loads what NVRTC compiles. A driver takes cubins of its own major version of CUDA and of older
     * ones, also from a newer minor one; PTX it takes of its own version and of older ones ("CUDA Compatibility", minor
     * version compatibility). Tilewright hands it cubins for the exact target.
     */
    static List<Notice> forDriver(HostFacts machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        List<Notice> findings = new ArrayList<>();
        if (!nvrtc.version().isEmpty() && !machine.libcuda().version().isEmpty()) {
            compare(NvrtcVersion.parse(nvrtc.version()), NvrtcVersion.parse(machine.libcuda().version()), findings);
        }
        if (nvrtc.isReady()) {
            for (CudaDevice gpu : machine.gpus()) {
                if (gpu.major() >= Target.SM_80.major() && !nvrtc.targets().contains(gpu.target())) {
                    findings.add(Notice.broken("gpu " + gpu.ordinal(),
                            "NVRTC " + nvrtc.version() + " does not compile for its "
                            + gpu.target(), "install a newer CUDA toolkit, or set TILEWRIGHT_NVRTC=embedded"));
                }
            }
        }
        return findings;
    }

    private static void compare(NvrtcVersion compiler, NvrtcVersion driver, List<Notice> findings) {
        String both = "NVRTC is of CUDA " + compiler + ", the driver of " + driver;
        if (compiler.major() > driver.major()) {
            findings.add(Notice.broken(VERSIONS, both + ": it need not load cubins of a newer major version",
                    "update the driver, or name an NVRTC " + driver.major() + ".x: TILEWRIGHT_NVRTC=embedded takes one "
                    + "that the driver loads"));
        } else if (compiler.compareTo(driver) > 0) {
            findings.add(
                    Notice.note(VERSIONS, both + ": cubins for the exact target load, and only these are compiled "
                            + "here; PTX of this NVRTC does not", "update the driver before you hand it PTX of this "
                            + "NVRTC"));
        }
    }

    /** NVRTC that is there more than once, in different versions, and NVRTC that was passed over for a fault. */
    static List<Notice> copies(HostFacts machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        List<Notice> findings = new ArrayList<>();
        if (nvrtc.copies().stream().map(Copy::version).distinct().count() > 1) {
            String all = nvrtc.copies().stream().map(c -> (c.version().isEmpty() ? "unknown" : c.version()) + " "
                    + c.file() + " (" + c.rule() + ")").collect(Collectors.joining(", "));
            findings.add(Notice.note(COPIES, "several versions are here: " + all + (nvrtc.file().isEmpty() ? ""
                    : "; " + nvrtc.version() + " is taken, the first in this order that can be used"),
                    "TILEWRIGHT_NVRTC chooses another"));
        }
        for (String fault : nvrtc.unusable()) {
            findings.add(Notice.note(COPIES, "passed over: " + fault, mend(fault)));
        }
        return findings;
    }

    private static String mend(String fault) {
        return fault.contains("libnvrtc-builtins") ? "reinstall it: the two files belong together"
                : fault.contains("driver") ? "update the driver to use it" : "mend or remove it";
    }

    /** Whether rivals in CUDA C++ can be built for benchmarks. Nothing else needs nvcc. */
    static List<Notice> nvcc(HostFacts machine) {
        return List.of(machine.nvcc().isEmpty()
                ? Notice.note("nvcc", "none: 'bench' measures without the kernels in CUDA C++ that it compares with, "
                + "and nothing else needs it", "a CUDA toolkit brings it (CUDA_HOME, or on the PATH)")
                : Notice.ok("nvcc", machine.nvcc()));
    }
}
