package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Every examination, in the order of the report: from what everything needs to what only some do. */
public final class Examinations {
    private static final List<Examination> ALL = List.of(new Jdk(), new NativeCalls(), new Driver(), new DriverStart(),
            new ModuleMatch(), new DeviceNodes(), new InContainer(), new VisibleDevices(), new Gpus(),
            new ComputeModes(), new MigModes(), new Upkeep(), new Encoders(), new Nvrtc(), new NvrtcForDriver(),
            new NvrtcCopies(), new Nvcc(), new Cache());

    private Examinations() { }

    /** What there is to say of a machine. */
    public static List<Finding> of(Machine machine) {
        return ALL.stream().flatMap(e -> e.of(machine).stream()).toList();
    }
}
