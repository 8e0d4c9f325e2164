package dev.tilewright.bench.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.result.Clocks;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * What the management library of NVIDIA's driver, {@code libnvidia-ml.so.1}, tells of a GPU: clocks and why they are
 * low. Functions and constants are those of nvml.h. Where the library is not there, nothing is known.
 */
final class Nvml {
    private static final int CLOCK_SM = 1;
    private static final int CLOCK_MEMORY = 2;
    private static final int TEMPERATURE_GPU = 0;
    private static final int VERSION_BYTES = 96;
    /** nvmlClocksEventReason*, by bit; the first, an idle GPU, is no throttling. */
    private static final List<String> REASONS = List.of("", "application clocks", "power cap", "hardware slowdown",
            "sync boost", "thermal, by software", "thermal, by hardware", "power brake", "display clocks");

    private static final Optional<NativeLibrary> LIBRARY = open();

    private Nvml() { }

    private static Optional<NativeLibrary> open() {
        try {
            NativeLibrary library = NativeLibrary.open("libnvidia-ml.so.1");
            return call(library, "nvmlInit_v2") == 0 ? Optional.of(library) : Optional.empty();
        } catch (MissingRequirementException e) {
            return Optional.empty();
        }
    }

    /** The driver's version, such as {@code 580.95.05}; empty if unknown. */
    static String driverVersion() {
        if (LIBRARY.isEmpty()) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(VERSION_BYTES);
            return call(LIBRARY.get(), "nvmlSystemGetDriverVersion", text, VERSION_BYTES) == 0 ? text.getString(0) : "";
        }
    }

    /** What a GPU runs at. @param bus its place, such as {@code 00000000:1b:00.0} */
    static Clocks clocks(String bus) {
        if (LIBRARY.isEmpty()) {
            return Clocks.UNKNOWN;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            if (call(LIBRARY.get(), "nvmlDeviceGetHandleByPciBusId_v2", arena.allocateFrom(bus), out) != 0) {
                return Clocks.UNKNOWN;
            }
            MemorySegment device = out.get(ADDRESS, 0);
            return new Clocks(number("nvmlDeviceGetClockInfo", out, device, CLOCK_SM),
                    number("nvmlDeviceGetClockInfo", out, device, CLOCK_MEMORY), throttling(device, out),
                    number("nvmlDeviceGetTemperature", out, device, TEMPERATURE_GPU),
                    number("nvmlDeviceGetPowerUsage", out, device) / 1000);
        }
    }

    private static String throttling(MemorySegment device, MemorySegment out) {
        if (call(LIBRARY.orElseThrow(), "nvmlDeviceGetCurrentClocksThrottleReasons", device, out) != 0) {
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

    /** An unsigned int that a function writes behind its other arguments; 0 if it does not. */
    private static int number(String function, MemorySegment out, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.add(out);
        return call(LIBRARY.orElseThrow(), function, all.toArray()) == 0 ? out.get(JAVA_INT, 0) : 0;
    }

    /** Calls a function of ints and pointers. @return its nvmlReturn_t; -1 if this library has none of that name */
    private static int call(NativeLibrary library, String function, Object... arguments) {
        MemoryLayout[] types = new MemoryLayout[arguments.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = arguments[i] instanceof Integer ? JAVA_INT : ADDRESS;
        }
        Optional<MethodHandle> handle = library.function(function, FunctionDescriptor.of(JAVA_INT, types));
        if (handle.isEmpty()) {
            return -1;
        }
        try {
            return (int) handle.get().invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}
