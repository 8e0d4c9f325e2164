package dev.tilewright.doctor;

import dev.tilewright.doctor.examination.Finding;
import dev.tilewright.doctor.examination.Verdict;
import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Set;

/** What a machine can do and what it cannot, and why, in one sentence: the sum of the lines before it. */
final class Summary {
    /** Lines that say why no kernel runs on a GPU: their subjects, without the number of a device. */
    private static final Set<String> LAUNCHING = Set.of("driver", "cuInit", "gpu", "mode");
    private static final Set<String> COMPILING = Set.of("nvrtc");

    private Summary() { }

    /** @param findings those of the machine, from what everything needs to what only some do */
    static String of(Machine machine, List<Finding> findings) {
        List<String> gpus = machine.gpus().stream().filter(Summary::takesLaunches).map(d -> "gpu " + d.ordinal())
                .toList();
        boolean compiles = machine.nvrtc().isReady();
        String launches = gpus.isEmpty() ? "launches none on a GPU: " + reason(LAUNCHING, findings)
                : "launches them on " + String.join(", ", gpus) + (compiles ? "" : " once NVRTC is there");
        return (compiles ? "compiles for " + machine.nvrtc().targets().size() + " targets and runs kernels on the CPU"
                : "runs kernels on the CPU; compiles none yet: " + reason(COMPILING, findings)) + "; " + launches;
    }

    private static boolean takesLaunches(CudaDevice device) {
        return Target.of(device.major(), device.minor()).supports(Target.SM_80)
                && device.computeMode() != ComputeMode.PROHIBITED;
    }

    /** The first lack, or what is broken, with its line's subject; the driver's facts name it themselves. */
    private static String reason(Set<String> subjects, List<Finding> findings) {
        Finding first = findings.stream().filter(f -> f.verdict().compareTo(Verdict.LACK) >= 0
                && subjects.contains(f.subject().split(" ")[0])).findFirst().orElseThrow();
        return (first.subject().equals("driver") ? "" : first.subject() + ": ") + first.fact();
    }
}
