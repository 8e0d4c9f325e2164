package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Libcuda;
import dev.tilewright.doctor.machine.Machine;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether the driver's library and its kernel module are of one version: after an update they may not be. */
final class ModuleMatch implements Examination {
    /** {@code libcuda.so.580.95.05}. */
    private static final Pattern VERSION = Pattern.compile(".*/libcuda\\.so\\.(\\d{3,4}(?:\\.\\d+)+)");

    @Override
    public List<Finding> of(Machine machine) {
        Libcuda libcuda = machine.libcuda();
        String module = machine.kernelModule().version();
        Matcher library = VERSION.matcher(libcuda.file());
        if (!library.matches() || module.isEmpty() || library.group(1).equals(module)) {
            return List.of();
        }
        String fact = "libcuda is of driver " + library.group(1) + ", the kernel module of " + module;
        if (libcuda.file().contains("/compat/") && libcuda.isStarted()) {
            return List.of();
        }
        return List.of(libcuda.isStarted() ? Finding.note("module", fact,
                "restart the machine to load the newer module")
                : Finding.broken("module", fact, "restart the machine, or reload the module (rmmod nvidia_uvm nvidia;"
                + " modprobe nvidia); in a container, start it anew, so that it gets the host's libraries"));
    }
}
