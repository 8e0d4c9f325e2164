package dev.tilewright.cli.option;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.device.Devices;
import java.util.Locale;
import java.util.function.Consumer;

/** Where a command runs kernels. */
public enum ExecutorChoice {
    /** On the GPU when there is one. */
    AUTO,
    /** On the GPU. */
    GPU,
    /** On the CPU. */
    REFERENCE;

    /**
     * Whether it means a GPU on this machine.
     *
     * @param notes is told where it would, and there is none
     * @throws MissingRequirementException if it has to be one, and there is none
     */
    public boolean isForGpu(Consumer<String> notes) {
        if (this == REFERENCE) {
            return false;
        }
        Devices devices = Devices.probe();
        if (!devices.list().isEmpty()) {
            return true;
        }
        if (this == GPU) {
            throw new MissingRequirementException("--executor gpu needs a GPU, and there is none: " + devices.why()
                    + "; --executor reference runs on the CPU");
        }
        notes.accept("no GPU (" + devices.why() + "): running the reference executor on the CPU");
        return false;
    }

    /** The name: {@code auto}, {@code gpu}, {@code reference}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
