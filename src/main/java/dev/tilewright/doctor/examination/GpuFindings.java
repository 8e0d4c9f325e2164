package dev.tilewright.doctor.examination;

import dev.tilewright.Counted;
import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.machine.ManagedGpu.MigInstance;
import dev.tilewright.doctor.machine.ManagedGpu;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which GPUs there are, what they are capable of, and who may use them. */
final class GpuFindings {
    private static final String CONTAINER = "container";
    private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";
    private static final String CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES";
    private static final String SHOWN = "visible";

    private GpuFindings() { }

    /** What a container was given of the host's GPUs. */
    static List<Notice> container(HostFacts machine) {
        if (!machine.container().inside()) {
            return List.of();
        }
        String fact = "this is one (" + machine.container().evidence() + ")";
        String visible = machine.settings().get(VISIBLE);
        String capabilities = machine.settings().get(CAPABILITIES);
        if (!machine.gpus().isEmpty() || !machine.management().gpus().isEmpty()) {
            // It was given some; where CUDA shows none, that is for other reasons.
            return List.of(Notice.ok(CONTAINER, fact));
        }
        if (visible != null && List.of("", "void", "none").contains(visible)) {
            return List.of(Notice.lack(CONTAINER, fact + ", and " + VISIBLE + "='" + visible + "' gives it no GPU",
                    "start it with '--gpus all', or -e " + VISIBLE + "=all where the NVIDIA runtime is the default"));
        }
        if (visible != null && capabilities != null
                && Arrays.stream(capabilities.split(",")).noneMatch(c -> c.equals("compute") || c.equals("all"))) {
            return List.of(Notice.lack(CONTAINER, fact + ", and " + CAPABILITIES + "='" + capabilities
                    + "' leaves libcuda out", "set it to compute,utility"));
        }
        return List.of(Notice.note(CONTAINER, fact + ", without a GPU",
                "start it with '--gpus all' on a host that has one, with"
                + " the NVIDIA Container Toolkit installed; in Kubernetes ask for nvidia.com/gpu"));
    }

    /** Whether CUDA_VISIBLE_DEVICES hides GPUs: CUDA takes its entries up to the first that it does not know. */
    static List<Notice> visible(HostFacts machine) {
        String value = machine.settings().get(HostFacts.VISIBLE_DEVICES);
        if (value == null || !machine.libcuda().loaded()) {
            return List.of();
        }
        int installed = machine.gpusInstalled();
        String set = HostFacts.VISIBLE_DEVICES + "='" + value + "'";
        if (machine.gpus().isEmpty()) {
            return installed == 0 ? List.of()
                    : List.of(Notice.broken(SHOWN, set + " hides every GPU of " + installed,
                    "unset it, or name a GPU that 'nvidia-smi -L' lists: a number below " + installed + ", or a UUID"));
        }
        int listed = value.split(",").length;
        if (listed > machine.gpus().size()) {
            return List.of(Notice.note(SHOWN, set + " lists " + listed + ", and CUDA shows " + machine.gpus().size()
                    + ": what follows an entry that names no GPU is not read", "correct it"));
        }
        return machine.gpus().size() < installed
                ? List.of(Notice.note(SHOWN, set + " shows " + machine.gpus().size() + " of "
                + Counted.of(installed, "GPU"),
                ""))
                : List.of();
    }

    /** The GPUs that CUDA sees, and what they are capable of. */
    static List<Notice> gpus(HostFacts machine) {
        if (!machine.gpus().isEmpty()) {
            return machine.gpus().stream().map(GpuFindings::gpu).toList();
        }
        return List.of(Notice.lack("gpu", machine.libcuda().loaded() ? "the driver shows none"
                : "none without a driver", "'run' uses the reference executor instead"));
    }

    private static Notice gpu(CudaDevice d) {
        String subject = "gpu " + d.ordinal();
        String fact = d.name() + ", compute capability " + d.major() + "." + d.minor() + ", " + ByteSize.of(d.memory())
                + ", " + d.multiprocessors() + " multiprocessors, " + ByteSize.of(d.sharedMemoryPerBlock())
                + " of shared memory per block";
        Target target = Target.of(d.major(), d.minor());
        if (!target.supports(Target.SM_80)) {
            return Notice.lack(subject, fact, "presets need compute capability 8.0 or later");
        }
        return target.supports(Target.SM_90) ? Notice.ok(subject, fact)
                : Notice.note(subject, fact, "presets on the tensor memory accelerator need 9.0");
    }

    /** Whether each GPU lets several processes use it. */
    static List<Notice> modes(HostFacts machine) {
        if (machine.gpus().isEmpty()) {
            return machine.management().gpus().stream().flatMap(g -> managed(g).stream()).toList();
        }
        return machine.gpus().stream().flatMap(d -> mode(d).stream()).toList();
    }

    private static Optional<Notice> mode(CudaDevice d) {
        return mode("mode " + d.ordinal(), d.computeMode(), d.uuid().isEmpty() ? "N" : "GPU-" + d.uuid());
    }

    private static Optional<Notice> managed(ManagedGpu g) {
        return mode("mode " + g.index(), g.computeMode(), g.uuid());
    }

    private static Optional<Notice> mode(String subject, ComputeMode mode, String gpu) {
        String remedy = "'nvidia-smi -i " + gpu + " -c DEFAULT', as root, lets all in";
        return switch (mode) {
            case DEFAULT, UNKNOWN -> Optional.empty();
            case PROHIBITED -> Optional.of(Notice.broken(subject, "compute mode " + mode + ": no process may use it",
                    remedy));
            case EXCLUSIVE_THREAD, EXCLUSIVE_PROCESS -> Optional.of(Notice.note(subject, "compute mode " + mode
                    + ": one process at a time; a second gets CUDA_ERROR_DEVICE_UNAVAILABLE (46)", remedy));
        };
    }

    /** GPUs that are divided into instances (MIG), of which a process sees one. */
    static List<Notice> instances(HostFacts machine) {
        return machine.management().gpus().stream().filter(g -> g.mig().equals(ManagedGpu.ON))
                .map(g -> instance(g, machine)).toList();
    }

    private static Notice instance(ManagedGpu gpu, HostFacts machine) {
        String subject = "mig " + gpu.index();
        if (gpu.instances().isEmpty()) {
            return Notice.broken(subject, gpu.name() + " is in MIG mode and has no instance that could be used",
                    "as root, make some ('nvidia-smi mig -i " + gpu.index() + " -lgip' lists the kinds, 'mig -cgi KIND "
                    + "-C' makes one), or end the mode ('nvidia-smi -i " + gpu.index() + " -mig 0')");
        }
        String instances = gpu.instances().stream()
                .map(i -> i.name() + " " + i.uuid() + (sees(machine, i) ? " (this process's)" : ""))
                .collect(Collectors.joining(", "));
        boolean none = gpu.instances().stream().noneMatch(i -> sees(machine, i));
        String remedy = "a process sees one instance: the first, or " + HostFacts.VISIBLE_DEVICES + "="
                + gpu.instances().getLast().uuid();
        String fact = gpu.name() + " is divided into " + gpu.instances().size() + ": " + instances;
        return none && machine.gpus().isEmpty() ? Notice.broken(subject, fact, remedy)
                : Notice.note(subject, fact, remedy);
    }

    private static boolean sees(HostFacts machine, MigInstance instance) {
        return machine.gpus().stream().map(CudaDevice::uuid)
                .anyMatch(uuid -> !uuid.isEmpty() && instance.uuid().equals("MIG-" + uuid));
    }

    /** How GPUs are kept: what costs time or safety, and prevents nothing. */
    static List<Notice> upkeep(HostFacts machine) {
        List<Notice> findings = new ArrayList<>();
        for (ManagedGpu gpu : machine.management().gpus()) {
            if (gpu.persistence().equals(ManagedGpu.OFF)) {
                findings.add(Notice.note("keep " + gpu.index(),
                        "persistence mode is off: the first process after a pause"
                        + " waits for the GPU to start", "'nvidia-smi -i " + gpu.index() + " -pm 1', as root"));
            }
            if (gpu.ecc().equals(ManagedGpu.OFF)) {
                findings.add(Notice.note("ecc " + gpu.index(), "ECC is off: errors of its memory are not noticed",
                        "'nvidia-smi -i " + gpu.index() + " -e 1', as root, from the next start on"));
            }
        }
        if (machine.mps()) {
            findings.add(
                    Notice.note("mps", "the multi-process service runs: a fault of one of its processes may end the"
                    + " others", ""));
        }
        return findings;
    }
}
