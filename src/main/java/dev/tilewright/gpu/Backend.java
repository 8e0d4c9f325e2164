package dev.tilewright.gpu;

import java.util.Locale;

/** What kernels can be run on, chosen by name: see {@link Drivers#open}. */
public enum Backend {
    /** The first NVIDIA GPU, through the CUDA driver: {@link CudaDriver}. */
    GPU,
    /**
     * The CPU, through the reference executor, which is the definition of what a kernel does: {@link ReferenceDriver}.
     */
    REFERENCE;

    /** The name: {@code gpu}, {@code reference}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
