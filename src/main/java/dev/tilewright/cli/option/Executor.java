package dev.tilewright.cli.option;

import java.util.Locale;

/** Where a command runs kernels. */
public enum Executor {
    /** On the GPU when there is one. */
    AUTO,
    /** On the GPU. */
    GPU,
    /** On the CPU. */
    REFERENCE;

    /** The name: {@code auto}, {@code gpu}, {@code reference}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
