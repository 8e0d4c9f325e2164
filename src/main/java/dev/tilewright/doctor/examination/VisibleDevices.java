package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Whether CUDA_VISIBLE_DEVICES hides GPUs: CUDA takes its entries up to the first that it does not know. */
final class VisibleDevices implements Examination {
    private static final String SUBJECT = "visible";

    @Override
    public List<Finding> of(Machine machine) {
        String value = machine.settings().get(Machine.VISIBLE_DEVICES);
        if (value == null || !machine.libcuda().loaded()) {
            return List.of();
        }
        int installed = machine.gpusInstalled();
        String set = Machine.VISIBLE_DEVICES + "='" + value + "'";
        if (machine.gpus().isEmpty()) {
            return installed == 0 ? List.of()
                    : List.of(Finding.broken(SUBJECT, set + " hides every GPU of " + installed,
                    "unset it, or name a GPU that 'nvidia-smi -L' lists: a number below " + installed + ", or a UUID"));
        }
        int listed = value.split(",").length;
        if (listed > machine.gpus().size()) {
            return List.of(Finding.note(SUBJECT, set + " lists " + listed + ", and CUDA shows " + machine.gpus().size()
                    + ": what follows an entry that names no GPU is not read", "correct it"));
        }
        return machine.gpus().size() < installed
                ? List.of(Finding.note(SUBJECT, set + " shows " + machine.gpus().size() + " of " + installed + " GPUs",
                ""))
                : List.of();
    }
}
