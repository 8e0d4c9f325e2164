package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.DeviceNode;
import dev.tilewright.doctor.machine.KernelModule;
import dev.tilewright.doctor.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Whether the files that lead to the kernel module are there and may be opened. */
final class DeviceNodes implements Examination {
    private static final String SUBJECT = "nodes";

    @Override
    public List<Finding> of(Machine machine) {
        KernelModule kernel = machine.kernelModule();
        boolean expected = machine.libcuda().loaded() || kernel.loaded() || kernel.pciGpus() > 0;
        if (!expected || kernel.wsl() || !machine.gpus().isEmpty()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        String absent = paths(machine, false);
        if (!absent.isEmpty()) {
            findings.add(Finding.broken(SUBJECT, absent + " not there", whereToGetThem(machine)));
        }
        String refused = paths(machine, true);
        if (!refused.isEmpty()) {
            findings.add(Finding.broken(SUBJECT, refused + " may not be opened by this user",
                    machine.container().inside()
                    ? "start the container with '--gpus all', so that its device rules allow them"
                    : "allow this user to: 'ls -l /dev/nvidia*' names the group to join (usermod -aG), or its mode is"
                    + " NVreg_DeviceFileMode of the module"));
        }
        return findings;
    }

    /** @param present whether those that are there and refused, or those that are not */
    private static String paths(Machine machine, boolean present) {
        return machine.deviceNodes().stream().filter(n -> n.present() == present && !n.permitted())
                .map(DeviceNode::path).collect(Collectors.joining(", "));
    }

    private static String whereToGetThem(Machine machine) {
        if (machine.container().inside()) {
            return "start the container with '--gpus all' (NVIDIA Container Toolkit); in Kubernetes ask for "
                    + "nvidia.com/gpu";
        }
        return machine.kernelModule().loaded() ? "make them: 'nvidia-modprobe -u -c=0', or run 'nvidia-smi' once as "
                + "root"
                : "load the kernel module: 'modprobe nvidia nvidia-uvm'; if that fails, see 'dmesg' and reinstall the "
                + "driver";
    }
}
