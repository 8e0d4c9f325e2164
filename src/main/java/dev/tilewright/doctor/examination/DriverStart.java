package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.DeviceNode;
import dev.tilewright.doctor.machine.Libcuda;
import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Why the driver does not start, by the result of cuInit: numbers and meanings are those of cuda.h, enum CUresult. */
final class DriverStart implements Examination {
    private static final int OUT_OF_MEMORY = 2;
    private static final int NO_DEVICE = 100;
    private static final int INVALID_DEVICE = 101;
    private static final int DEVICE_NOT_LICENSED = 102;
    private static final int OPERATING_SYSTEM = 304;
    private static final int NOT_PERMITTED = 800;
    private static final int SYSTEM_NOT_READY = 802;
    private static final int SYSTEM_DRIVER_MISMATCH = 803;
    private static final int COMPAT_NOT_SUPPORTED_ON_DEVICE = 804;
    private static final int MPS_CONNECTION_FAILED = 805;
    private static final int MPS_CLIENT_TERMINATED = 810;
    private static final int UNKNOWN = 999;

    @Override
    public List<Finding> of(Machine machine) {
        Libcuda libcuda = machine.libcuda();
        if (!libcuda.loaded() || libcuda.isStarted() || libcuda.isStub()) {
            return List.of();
        }
        return List.of(Finding.broken("cuInit", "it fails: " + libcuda.startError(), remedy(machine)));
    }

    private static String remedy(Machine machine) {
        int result = machine.libcuda().startResult();
        return switch (result) {
            case OUT_OF_MEMORY -> "the host or a GPU is out of memory: 'nvidia-smi' and 'free -m' show who has it";
            case NO_DEVICE, INVALID_DEVICE -> noDevice(machine);
            case DEVICE_NOT_LICENSED -> "the virtual GPU has no licence: see 'nvidia-smi -q | grep -i licen' and the "
                    + "service nvidia-gridd";
            case OPERATING_SYSTEM, NOT_PERMITTED -> "a call of the operating system was refused: see the line 'nodes', "
                    + "the container's device rules, and 'dmesg'";
            case SYSTEM_NOT_READY -> "a service that the GPUs need is not up; with NVSwitch that is the fabric manager "
                    + "of the"
                    + " driver's version: 'systemctl status nvidia-fabricmanager', and 'nvidia-smi -q | grep -A 3 "
                    + "Fabric'";
            case SYSTEM_DRIVER_MISMATCH -> "libcuda and the kernel module are of different versions, as after an "
                    + "update: restart the machine, or reload the module (rmmod nvidia_uvm nvidia; modprobe nvidia)";
            case COMPAT_NOT_SUPPORTED_ON_DEVICE -> "the compatibility package's libcuda does not serve this GPU: take "
                    + "its folder (cuda-compat) out of LD_LIBRARY_PATH, and update the driver instead";
            case UNKNOWN -> "the driver gives no reason: see 'dmesg' for NVRM and Xid, and whether the module for "
                    + "unified memory is there (modprobe nvidia-uvm; nvidia-modprobe -u -c=0)";
            default -> result >= MPS_CONNECTION_FAILED && result <= MPS_CLIENT_TERMINATED
                    ? "the multi-process service does not serve: restart it ('echo quit | nvidia-cuda-mps-control', "
                    + "then 'nvidia-cuda-mps-control -d'), or unset CUDA_MPS_PIPE_DIRECTORY"
                    : "see 'nvidia-smi' and 'dmesg'";
        };
    }

    private static String noDevice(Machine machine) {
        if (machine.hiding().isPresent()) {
            return "unset " + Machine.VISIBLE_DEVICES + ", or name a GPU that 'nvidia-smi -L' lists";
        }
        if (!machine.kernelModule().wsl() && !machine.deviceNodes().stream().allMatch(DeviceNode::permitted)) {
            return "the line 'nodes' says what keeps the driver from its devices";
        }
        return machine.management().gpus().isEmpty() ? "'nvidia-smi -L' should name a GPU; if it does not, see 'dmesg' "
                + "for NVRM, and whether the machine or the container was given one"
                : "'nvidia-smi' shows GPUs, and CUDA none: see the lines 'mig', and 'mode' for one that is prohibited";
    }
}
