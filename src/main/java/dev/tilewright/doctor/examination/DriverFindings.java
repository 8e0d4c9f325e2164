package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Container;
import dev.tilewright.doctor.machine.DeviceNode;
import dev.tilewright.doctor.machine.DriverModule;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.machine.Libcuda;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Whether the driver is there, starts and reaches its kernel module. */
final class DriverFindings {
    private static final String DRIVER = "driver";
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
    /** {@code libcuda.so.580.95.05}. */
    private static final Pattern VERSION = Pattern.compile(".*/libcuda\\.so\\.(\\d{3,4}(?:\\.\\d+)+)");
    private static final String NODES = "nodes";

    private DriverFindings() { }

    /** Whether the driver's library is there, and is one. */
    static List<Notice> driver(HostFacts machine) {
        Libcuda libcuda = machine.libcuda();
        if (!libcuda.loaded()) {
            return List.of(absent(machine));
        }
        if (libcuda.isStub()) {
            return List.of(Notice.broken(DRIVER, libcuda.file() + " is a stub to link with, no driver", libcuda.file()
                    + " must not be found first: take its folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d"));
        }
        String versions = "libcuda.so.1, CUDA " + (libcuda.version().isEmpty() ? "unknown" : libcuda.version())
                + release(machine);
        if (libcuda.file().contains("/compat/")) {
            return List.of(Notice.note(DRIVER, versions + ", from the compatibility package: " + libcuda.file(),
                    "it is for data-centre GPUs; should a GPU not start, take its folder out of LD_LIBRARY_PATH"));
        }
        return List.of(Notice.ok(DRIVER, versions));
    }

    private static String release(HostFacts machine) {
        String release = machine.management().driverVersion().isEmpty() ? machine.kernelModule().version()
                : machine.management().driverVersion();
        return release.isEmpty() ? "" : ", driver " + release;
    }

    private static Notice absent(HostFacts machine) {
        DriverModule kernel = machine.kernelModule();
        Container container = machine.container();
        String why = machine.libcuda().why();
        if (why.contains("does not load")) {
            return Notice.broken(DRIVER, why, "reinstall the driver's libraries, of the kernel module's version and "
                    + "for this processor; 'ldd' of that file names a library that it lacks");
        }
        if (kernel.loaded()) {
            return Notice.broken(DRIVER, "the kernel module " + kernel.version() + " is loaded, but " + why,
                    container.inside() ? "start the container with '--gpus all' and "
                    + "NVIDIA_DRIVER_CAPABILITIES=compute,utility"
                            + " (NVIDIA Container Toolkit), which puts the host's libcuda into it"
                            : "install the driver's libraries of that version (libcuda.so.1; on Debian and Ubuntu "
                            + "libcuda1 or libnvidia-compute), and run ldconfig");
        }
        if (!machine.libcuda().stubs().isEmpty()) {
            return Notice.lack(DRIVER, why + "; " + machine.libcuda().stubs().getFirst()
                    + " is a stub to link with, no driver", howToInstall(container));
        }
        if (why.contains("--enable-native-access")) {
            return Notice.broken(DRIVER, why, "allow native code, as the line 'native' says");
        }
        return Notice.lack(DRIVER, why, howToInstall(container));
    }

    private static String howToInstall(Container container) {
        return container.inside() ? "a container gets it from its host: see the line 'container'; everything but a GPU "
                + "works without"
                : "install the NVIDIA driver to run on a GPU; everything else works without";
    }

    /** Why the driver does not start, by the result of cuInit, whose numbers and meanings are CUresult's in cuda.h. */
    static List<Notice> start(HostFacts machine) {
        Libcuda libcuda = machine.libcuda();
        if (!libcuda.loaded() || libcuda.isStarted() || libcuda.isStub()) {
            return List.of();
        }
        return List.of(Notice.broken("cuInit", "it fails: " + libcuda.startError(), remedy(machine)));
    }

    private static String remedy(HostFacts machine) {
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

    private static String noDevice(HostFacts machine) {
        if (machine.hiding().isPresent()) {
            return "unset " + HostFacts.VISIBLE_DEVICES + ", or name a GPU that 'nvidia-smi -L' lists";
        }
        if (!machine.kernelModule().wsl() && !machine.deviceNodes().stream().allMatch(DeviceNode::permitted)) {
            return "the line 'nodes' says what keeps the driver from its devices";
        }
        return machine.management().gpus().isEmpty() ? "'nvidia-smi -L' should name a GPU; if it does not, see 'dmesg' "
                + "for NVRM, and whether the machine or the container was given one"
                : "'nvidia-smi' shows GPUs, and CUDA none: see the lines 'mig', and 'mode' for one that is prohibited";
    }

    /** Whether the driver's library and its kernel module are of one version: after an update they may not be. */
    static List<Notice> module(HostFacts machine) {
        Libcuda libcuda = machine.libcuda();
        String module = machine.kernelModule().version();
        Matcher library = VERSION.matcher(libcuda.file());
        if (!library.matches() || module.isEmpty() || library.group(1).equals(module)) {
            return List.of();
        }
        String fact = "libcuda is of driver " + library.group(1) + ", the kernel module of " + module;
        if (libcuda.file().contains("/compat/") && libcuda.isStarted()) {
            return List.of();
        }
        return List.of(libcuda.isStarted() ? Notice.note("module", fact,
                "restart the machine to load the newer module")
                : Notice.broken("module", fact, "restart the machine, or reload the module (rmmod nvidia_uvm nvidia;"
                + " modprobe nvidia); in a container, start it anew, so that it gets the host's libraries"));
    }

    /** Whether the files that lead to the kernel module are there and may be opened. */
    static List<Notice> nodes(HostFacts machine) {
        DriverModule kernel = machine.kernelModule();
        boolean expected = machine.libcuda().loaded() || kernel.loaded() || kernel.pciGpus() > 0;
        if (!expected || kernel.wsl() || !machine.gpus().isEmpty()) {
            return List.of();
        }
        List<Notice> findings = new ArrayList<>();
        String absent = paths(machine, false);
        if (!absent.isEmpty()) {
            findings.add(Notice.broken(NODES, absent + " not there", whereToGetThem(machine)));
        }
        String refused = paths(machine, true);
        if (!refused.isEmpty()) {
            findings.add(Notice.broken(NODES, refused + " may not be opened by this user",
                    machine.container().inside()
                    ? "start the container with '--gpus all', so that its device rules allow them"
                    : "allow this user to: 'ls -l /dev/nvidia*' names the group to join (usermod -aG), or its mode is"
                    + " NVreg_DeviceFileMode of the module"));
        }
        return findings;
    }

    /** @param present true for GPUs that are present and refused, false for GPUs that are absent */
    private static String paths(HostFacts machine, boolean present) {
        return machine.deviceNodes().stream().filter(n -> n.present() == present && !n.permitted())
                .map(DeviceNode::path).collect(Collectors.joining(", "));
    }

    private static String whereToGetThem(HostFacts machine) {
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
