package dev.tilewright.bench.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.bench.result.Clocks;
import dev.tilewright.gpu.nvml.LibNvml;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * What the management library tells of a GPU's speed: clocks and why they are low. Constants are those of nvml.h. Where
 * the library is not there, nothing is known.
 */
final class Nvml {
    private static final int CLOCK_SM = 1;
    private static final int CLOCK_MEMORY = 2;
    private static final int TEMPERATURE_GPU = 0;
    /** nvmlClocksEventReason*, by bit; the first, an idle GPU, is no throttling. */
    private static final List<String> REASONS = List.of("", "application clocks", "power cap", "hardware slowdown",
            "sync boost", "thermal, by software", "thermal, by hardware", "power brake", "display clocks");

    private static final Optional<LibNvml> LIBRARY = LibNvml.opening().library();

    private Nvml() { }

    /** The driver's version, such as {@code 580.95.05}; empty if unknown. */
    static String driverVersion() {
        return LIBRARY.map(LibNvml::driverVersion).orElse("");
    }

    /** What a GPU runs at. @param bus its place, such as {@code 00000000:1b:00.0} */
    static Clocks clocks(String bus) {
        return LIBRARY.flatMap(nvml -> device(nvml, bus).map(device -> clocks(nvml, device))).orElse(Clocks.UNKNOWN);
    }

    private static Optional<MemorySegment> device(LibNvml nvml, String bus) {
        try (Arena arena = Arena.ofConfined()) {
            return nvml.handle("nvmlDeviceGetHandleByPciBusId_v2", arena.allocateFrom(bus));
        }
    }

    private static Clocks clocks(LibNvml nvml, MemorySegment device) {
        return new Clocks(nvml.number("nvmlDeviceGetClockInfo", device, CLOCK_SM).orElse(0),
                nvml.number("nvmlDeviceGetClockInfo", device, CLOCK_MEMORY).orElse(0), throttling(nvml, device),
                nvml.number("nvmlDeviceGetTemperature", device, TEMPERATURE_GPU).orElse(0),
                nvml.number("nvmlDeviceGetPowerUsage", device).orElse(0) / 1000);
    }

    private static String throttling(LibNvml nvml, MemorySegment device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            if (nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", device, out) != LibNvml.SUCCESS) {
                return "";
            }
            long bits = out.get(JAVA_LONG, 0);
            StringJoiner reasons = new StringJoiner(", ");
            for (int bit = 1; bit < REASONS.size(); bit++) {
                if ((bits >> bit & 1) != 0) {
                    reasons.add(REASONS.get(bit));
                }
            }
            return reasons.toString();
        }
    }
}
