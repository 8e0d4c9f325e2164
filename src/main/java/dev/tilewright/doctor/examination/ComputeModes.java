package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.doctor.machine.ManagedGpu;
import java.util.List;
import java.util.Optional;

/** Whether each GPU lets several processes use it. */
final class ComputeModes implements Examination {
    @Override
    public List<Finding> of(Machine machine) {
        if (machine.gpus().isEmpty()) {
            return machine.management().gpus().stream().flatMap(g -> managed(g).stream()).toList();
        }
        return machine.gpus().stream().flatMap(d -> of(d).stream()).toList();
    }

    private static Optional<Finding> of(CudaDevice d) {
        return of("mode " + d.ordinal(), d.computeMode(), d.uuid().isEmpty() ? "N" : "GPU-" + d.uuid());
    }

    private static Optional<Finding> managed(ManagedGpu g) {
        return of("mode " + g.index(), g.computeMode(), g.uuid());
    }

    private static Optional<Finding> of(String subject, ComputeMode mode, String gpu) {
        String remedy = "'nvidia-smi -i " + gpu + " -c DEFAULT', as root, lets all in";
        return switch (mode) {
            case DEFAULT, UNKNOWN -> Optional.empty();
            case PROHIBITED -> Optional.of(Finding.broken(subject, "compute mode " + mode + ": no process may use it",
                    remedy));
            case EXCLUSIVE_THREAD, EXCLUSIVE_PROCESS -> Optional.of(Finding.note(subject, "compute mode " + mode
                    + ": one process at a time; a second gets CUDA_ERROR_DEVICE_UNAVAILABLE (46)", remedy));
        };
    }
}
