package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.doctor.machine.NvrtcFacts;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether the driver loads what NVRTC compiles. A driver takes cubins of its own major version of CUDA and of older
 * ones, also from a newer minor one; PTX it takes of its own version and of older ones ("CUDA Compatibility", minor
 * version compatibility). Tilewright hands it cubins for the exact target.
 */
final class NvrtcForDriver implements Examination {
    private static final String SUBJECT = "versions";

    @Override
    public List<Finding> of(Machine machine) {
        NvrtcFacts nvrtc = machine.nvrtc();
        List<Finding> findings = new ArrayList<>();
        if (!nvrtc.version().isEmpty() && !machine.libcuda().version().isEmpty()) {
            compare(NvrtcVersion.parse(nvrtc.version()), NvrtcVersion.parse(machine.libcuda().version()), findings);
        }
        if (nvrtc.isReady()) {
            for (CudaDevice gpu : machine.gpus()) {
                if (gpu.major() >= Target.SM_80.major() && !nvrtc.targets().contains(gpu.target())) {
                    findings.add(Finding.broken("gpu " + gpu.ordinal(),
                            "NVRTC " + nvrtc.version() + " does not compile for its "
                            + gpu.target(), "install a newer CUDA toolkit, or set TILEWRIGHT_NVRTC=embedded"));
                }
            }
        }
        return findings;
    }

    private static void compare(NvrtcVersion compiler, NvrtcVersion driver, List<Finding> findings) {
        String both = "NVRTC is of CUDA " + compiler + ", the driver of " + driver;
        if (compiler.major() > driver.major()) {
            findings.add(Finding.broken(SUBJECT, both + ": it need not load cubins of a newer major version",
                    "update the driver, or name an NVRTC " + driver.major() + ".x: TILEWRIGHT_NVRTC=embedded takes one "
                    + "that the driver loads"));
        } else if (compiler.compareTo(driver) > 0) {
            findings.add(
                    Finding.note(SUBJECT, both + ": cubins for the exact target load, which is what is compiled here; "
                    + "PTX from it does not", "update the driver before you hand it PTX of this NVRTC"));
        }
    }
}
