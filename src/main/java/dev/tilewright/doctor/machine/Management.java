package dev.tilewright.doctor.machine;

import dev.tilewright.gpu.nvml.LibNvml;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What the driver's management library tells, the one that nvidia-smi asks.
 *
 * @param present whether it could be asked
 * @param why if not, why; else empty
 * @param driverVersion such as {@code 580.95.05}; empty if unknown
 * @param gpus every GPU that the driver manages and this process may see
 */
public record Management(boolean present, String why, String driverVersion, List<ManagedGpu> gpus) {
    public Management {
        gpus = List.copyOf(gpus);
    }

    static Management look(LibNvml.Opening opening) {
        return opening.library().map(nvml -> new Management(true, "", nvml.driverVersion(), gpus(nvml)))
                .orElseGet(() -> new Management(false, opening.why(), "", List.of()));
    }

    private static List<ManagedGpu> gpus(LibNvml nvml) {
        return IntStream.range(0, nvml.number("nvmlDeviceGetCount_v2").orElse(0))
                .mapToObj(i -> nvml.handle("nvmlDeviceGetHandleByIndex_v2", i)
                        .map(device -> ManagedGpu.look(nvml, i, device))).flatMap(Optional::stream).toList();
    }
}
