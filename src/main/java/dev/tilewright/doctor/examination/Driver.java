package dev.tilewright.doctor.examination;

import dev.tilewright.doctor.machine.Container;
import dev.tilewright.doctor.machine.KernelModule;
import dev.tilewright.doctor.machine.Libcuda;
import dev.tilewright.doctor.machine.Machine;
import java.util.List;

/** Whether the driver's library is there, and is one. */
final class Driver implements Examination {
    private static final String SUBJECT = "driver";

    @Override
    public List<Finding> of(Machine machine) {
        Libcuda libcuda = machine.libcuda();
        if (!libcuda.loaded()) {
            return List.of(absent(machine));
        }
        if (libcuda.isStub()) {
            return List.of(Finding.broken(SUBJECT, libcuda.file() + " is a stub to link with, no driver", libcuda.file()
                    + " must not be found first: take its folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d"));
        }
        String versions = "libcuda.so.1, CUDA " + (libcuda.version().isEmpty() ? "unknown" : libcuda.version())
                + release(machine);
        if (libcuda.file().contains("/compat/")) {
            return List.of(Finding.note(SUBJECT, versions + ", from the compatibility package: " + libcuda.file(),
                    "it is for data-centre GPUs; should a GPU not start, take its folder out of LD_LIBRARY_PATH"));
        }
        return List.of(Finding.ok(SUBJECT, versions));
    }

    private static String release(Machine machine) {
        String release = machine.management().driverVersion().isEmpty() ? machine.kernelModule().version()
                : machine.management().driverVersion();
        return release.isEmpty() ? "" : ", driver " + release;
    }

    private static Finding absent(Machine machine) {
        KernelModule kernel = machine.kernelModule();
        Container container = machine.container();
        String why = machine.libcuda().why();
        if (why.contains("does not load")) {
            return Finding.broken(SUBJECT, why, "reinstall the driver's libraries, of the kernel module's version and "
                    + "for this processor; 'ldd' of that file names a library that it lacks");
        }
        if (kernel.loaded()) {
            return Finding.broken(SUBJECT, "the kernel module " + kernel.version() + " is loaded, but " + why,
                    container.inside() ? "start the container with '--gpus all' and "
                    + "NVIDIA_DRIVER_CAPABILITIES=compute,utility"
                            + " (NVIDIA Container Toolkit), which puts the host's libcuda into it"
                            : "install the driver's libraries of that version (libcuda.so.1; on Debian and Ubuntu "
                            + "libcuda1 or libnvidia-compute), and run ldconfig");
        }
        if (!machine.libcuda().stubs().isEmpty()) {
            return Finding.lack(SUBJECT, why + "; " + machine.libcuda().stubs().getFirst()
                    + " is a stub to link with, no driver", howToInstall(container));
        }
        if (why.contains("--enable-native-access")) {
            return Finding.broken(SUBJECT, why, "allow native code, as the line 'native' says");
        }
        return Finding.lack(SUBJECT, why, howToInstall(container));
    }

    private static String howToInstall(Container container) {
        return container.inside() ? "a container gets it from its host: see the line 'container'; everything but a GPU "
                + "works without"
                : "install the NVIDIA driver to run on a GPU; everything else works without";
    }
}
