package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.ptx.Target;
import java.util.List;

/** The GPUs that CUDA sees, and what they are capable of. */
final class Gpus implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        if (!machine.gpus().isEmpty()) {
            return machine.gpus().stream().map(Gpus::gpu).toList();
        }
        return List.of(Finding.lack("gpu", machine.libcuda().loaded() ? "the driver shows none"
                : "none without a driver", "'run' uses the reference executor instead"));
    }

    private static Finding gpu(CudaDevice d) {
        String subject = "gpu " + d.ordinal();
        String fact = d.name() + ", compute capability " + d.major() + "." + d.minor() + ", " + ByteSize.of(d.memory())
                + ", " + d.multiprocessors() + " multiprocessors, " + ByteSize.of(d.sharedMemoryPerBlock())
                + " of shared memory per block";
        Target target = Target.of(d.major(), d.minor());
        if (!target.supports(Target.SM_80)) {
            return Finding.lack(subject, fact, "presets need compute capability 8.0 or later");
        }
        return target.supports(Target.SM_90) ? Finding.ok(subject, fact)
                : Finding.note(subject, fact, "presets on the tensor memory accelerator need 9.0");
    }
}
