package dev.tilewright.gpu;

import dev.tilewright.Progress;
import dev.tilewright.emit.EmitOptions;
import java.util.function.Consumer;

/** Opens what is there: the first GPU, or the reference executor in its place. */
public final class Drivers {

    private Drivers() {
    }

    /**
     * The first GPU.
     *
     * @throws dev.tilewright.MissingRequirementException if there is none, or no NVRTC, with the reason
     */
    public static CudaDriver gpu() {
        return gpu(Devices.probe(), EmitOptions.DEFAULT, (what, done, total) -> { }, warning -> { });
    }

    /**
     * The first GPU of those found.
     *
     * @param progress hears of the fetching of NVRTC, where that is needed
     * @param warnings hears that the kernel cache cannot be used, and why
     */
    public static CudaDriver gpu(Devices devices, EmitOptions options, Progress progress, Consumer<String> warnings) {
        devices.require(0);
        return CudaDriver.open(devices, 0, KernelCompiler.cachingForUser(Nvrtc.find(progress), warnings), options);
    }

    /**
     * The first GPU, or the reference executor where there is none.
     *
     * @param notes hears in one sentence why there is no GPU
     */
    public static Driver gpuOrReference(Consumer<String> notes) {
        Devices devices = Devices.probe();
        if (devices.list().isEmpty()) {
            notes.accept("running on the CPU through the reference executor: " + devices.why());
            return new ReferenceDriver();
        }
        return gpu(devices, EmitOptions.DEFAULT, (what, done, total) -> { }, notes);
    }
}
