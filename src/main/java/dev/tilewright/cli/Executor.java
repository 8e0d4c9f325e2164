package dev.tilewright.cli;

/** Where a command runs kernels. */
enum Executor {
    /** On the GPU when there is one. */
    AUTO,
    /** On the GPU. */
    GPU,
    /** On the CPU. */
    REFERENCE
}
