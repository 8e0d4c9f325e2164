package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.HostFacts;
import java.util.List;
import java.util.function.Function;

/** Every examination, in the order of the report: from what everything needs to what only some do. */
public final class Examinations {
    private static final List<Function<HostFacts, List<Notice>>> ALL = List.of(
            HostFindings::jdk, HostFindings::nativeCalls, DriverFindings::driver, DriverFindings::start,
            DriverFindings::module, DriverFindings::nodes, GpuFindings::container, GpuFindings::visible,
            GpuFindings::gpus, GpuFindings::modes, GpuFindings::instances, GpuFindings::upkeep,
            HostFindings::encoders, CompilerFindings::nvrtc, CompilerFindings::forDriver, CompilerFindings::copies,
            CompilerFindings::nvcc, HostFindings::cache);

    private Examinations() { }

    /** What there is to say of a machine. */
    public static List<Notice> of(HostFacts machine) {
        return ALL.stream().flatMap(e -> e.apply(machine).stream()).toList();
    }
}
