package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import java.util.Arrays;
import java.util.List;

/** What a container was given of the host's GPUs. */
final class InContainer implements Examination {
    private static final String SUBJECT = "container";
    private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";
    private static final String CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES";

    @Override
    public List<Finding> of(Machine machine) {
        if (!machine.container().inside()) {
            return List.of();
        }
        String fact = "this is one (" + machine.container().evidence() + ")";
        String visible = machine.settings().get(VISIBLE);
        String capabilities = machine.settings().get(CAPABILITIES);
        if (!machine.gpus().isEmpty() || !machine.management().gpus().isEmpty()) {
            // It was given some; where CUDA shows none, that is for other reasons.
            return List.of(Finding.ok(SUBJECT, fact));
        }
        if (visible != null && List.of("", "void", "none").contains(visible)) {
            return List.of(Finding.lack(SUBJECT, fact + ", and " + VISIBLE + "='" + visible + "' gives it no GPU",
                    "start it with '--gpus all', or -e " + VISIBLE + "=all where the NVIDIA runtime is the default"));
        }
        if (visible != null && capabilities != null
                && Arrays.stream(capabilities.split(",")).noneMatch(c -> c.equals("compute") || c.equals("all"))) {
            return List.of(Finding.lack(SUBJECT, fact + ", and " + CAPABILITIES + "='" + capabilities
                    + "' leaves libcuda out", "set it to compute,utility"));
        }
        return List.of(Finding.note(SUBJECT, fact + ", without a GPU",
                "start it with '--gpus all' on a host that has one, with"
                + " the NVIDIA Container Toolkit installed; in Kubernetes ask for nvidia.com/gpu"));
    }
}
