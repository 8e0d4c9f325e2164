package dev.tilewright.doctor.need;

import dev.tilewright.doctor.machine.CudaDevice;
import dev.tilewright.doctor.machine.Machine;
import java.util.List;
import java.util.stream.Collectors;

/**
 * At least n GPUs, each with all the properties that are needed besides: {@code 2-gpus}.
 *
 * @param least how many
 * @param properties what each of them must have
 */
record GpuCount(int least, List<Need.OfGpu> properties) {
    /** Why a machine does not have them; empty if it does. */
    String lack(Machine machine) {
        long fit = machine.gpus().stream().filter(this::fits).count();
        if (fit >= least) {
            return "";
        }
        if (machine.gpus().isEmpty()) {
            return Need.noGpu(machine);
        }
        if (properties.isEmpty()) {
            return "only " + fit + (fit == 1 ? " is" : " are") + " here";
        }
        return "only " + fit + " of the " + machine.gpus().size() + " here " + (fit == 1 ? "meets " : "meet ")
                + properties.stream().map(Need::text).collect(Collectors.joining(" and "));
    }

    private boolean fits(CudaDevice gpu) {
        return properties.stream().allMatch(p -> p.has().test(gpu));
    }
}
