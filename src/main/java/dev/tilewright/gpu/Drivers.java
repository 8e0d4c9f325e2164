package dev.tilewright.gpu;

import dev.tilewright.Progress;
import dev.tilewright.emit.EmitOptions;
import java.util.Objects;
import java.util.function.Consumer;

/** Opens a backend: the one that is asked for, or what is there. */
public final class Drivers {

    private Drivers() {
    }

    /**
     * A device of the backend.
     *
     * @param progress is told how far the fetching of NVRTC is, where that is needed
     * @param warnings is told that the kernel cache cannot be used, and why
     * @throws dev.tilewright.MissingRequirementException if something that the backend needs is not there: for a GPU, a
     *     driver or NVRTC
     */
    public static Driver open(Backend backend, Progress progress, Consumer<String> warnings) {
        Objects.requireNonNull(backend, "backend");
        Objects.requireNonNull(progress, "progress");
        Objects.requireNonNull(warnings, "warnings");
        return switch (backend) {
            case GPU -> gpu(Devices.probe(), EmitOptions.DEFAULT, progress, warnings);
            case REFERENCE -> new ReferenceDriver();
        };
    }

    /**
     * The first GPU.
     *
     * @throws dev.tilewright.MissingRequirementException if there is none, or no NVRTC, with the reason
     */
    public static CudaDriver gpu() {
        return gpu(Devices.probe(), EmitOptions.DEFAULT, Progress.NONE, _ -> { });
    }

    /**
     * The first GPU of those found.
     *
     * @param progress is told how far the fetching of NVRTC is, where that is needed
     * @param warnings is told that the kernel cache cannot be used, and why
     */
    public static CudaDriver gpu(Devices devices, EmitOptions options, Progress progress, Consumer<String> warnings) {
        Objects.requireNonNull(devices, "devices");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(progress, "progress");
        Objects.requireNonNull(warnings, "warnings");
        devices.require(0);
        return CudaDriver.open(devices, 0, KernelCompiler.cachingForUser(progress, warnings), options);
    }

    /**
     * The first GPU, or the reference executor where there is none.
     *
     * @param notes is told in one sentence why there is no GPU
     */
    public static Driver gpuOrReference(Consumer<String> notes) {
        Objects.requireNonNull(notes, "notes");
        Devices devices = Devices.probe();
        if (devices.list().isEmpty()) {
            notes.accept("running on the CPU through the reference executor: " + devices.why());
            return new ReferenceDriver();
        }
        return gpu(devices, EmitOptions.DEFAULT, Progress.NONE, notes);
    }
}
