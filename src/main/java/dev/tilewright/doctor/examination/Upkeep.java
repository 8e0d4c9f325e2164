package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.doctor.machine.ManagedGpu;
import java.util.ArrayList;
import java.util.List;

/** How GPUs are kept: what costs time or safety, and prevents nothing. */
final class Upkeep implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        for (ManagedGpu gpu : machine.management().gpus()) {
            if (gpu.persistence().equals(ManagedGpu.OFF)) {
                findings.add(Finding.note("keep " + gpu.index(),
                        "persistence mode is off: the first process after a pause"
                        + " waits for the GPU to start", "'nvidia-smi -i " + gpu.index() + " -pm 1', as root"));
            }
            if (gpu.ecc().equals(ManagedGpu.OFF)) {
                findings.add(Finding.note("ecc " + gpu.index(), "ECC is off: errors of its memory are not noticed",
                        "'nvidia-smi -i " + gpu.index() + " -e 1', as root, from the next start on"));
            }
        }
        if (machine.mps()) {
            findings.add(
                    Finding.note("mps", "the multi-process service runs: a fault of one of its processes may end the"
                    + " others", ""));
        }
        return findings;
    }
}
