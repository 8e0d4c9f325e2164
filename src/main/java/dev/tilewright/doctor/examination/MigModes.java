package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.doctor.machine.ManagedGpu.MigInstance;
import dev.tilewright.doctor.machine.ManagedGpu;
import java.util.List;
import java.util.stream.Collectors;

/** GPUs that are divided into instances (MIG), of which a process sees one. */
final class MigModes implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        return machine.management().gpus().stream().filter(g -> g.mig().equals(ManagedGpu.ON))
                .map(g -> of(g, machine)).toList();
    }

    private static Finding of(ManagedGpu gpu, Machine machine) {
        String subject = "mig " + gpu.index();
        if (gpu.instances().isEmpty()) {
            return Finding.broken(subject, gpu.name() + " is in MIG mode and has no instance that could be used",
                    "as root, make some ('nvidia-smi mig -i " + gpu.index() + " -lgip' lists the kinds, 'mig -cgi KIND "
                    + "-C' makes one), or end the mode ('nvidia-smi -i " + gpu.index() + " -mig 0')");
        }
        String instances = gpu.instances().stream()
                .map(i -> i.name() + " " + i.uuid() + (sees(machine, i) ? " (this process's)" : ""))
                .collect(Collectors.joining(", "));
        boolean none = gpu.instances().stream().noneMatch(i -> sees(machine, i));
        String remedy = "a process sees one instance: the first, or " + Machine.VISIBLE_DEVICES + "="
                + gpu.instances().getLast().uuid();
        String fact = gpu.name() + " is divided into " + gpu.instances().size() + ": " + instances;
        return none && machine.gpus().isEmpty() ? Finding.broken(subject, fact, remedy)
                : Finding.note(subject, fact, remedy);
    }

    private static boolean sees(Machine machine, MigInstance instance) {
        return machine.gpus().stream().map(CudaDevice::uuid)
                .anyMatch(uuid -> !uuid.isEmpty() && instance.uuid().equals("MIG-" + uuid));
    }
}
