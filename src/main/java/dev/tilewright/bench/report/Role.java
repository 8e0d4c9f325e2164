package dev.tilewright.bench.report;

/** Which side of a comparison a series or a bar shows: they are drawn in different ways. */
enum Role {
    /** Our own kernels. */
    OURS,
    /** What everything is compared with, such as cuMemcpy. */
    BASELINE,
    /** Another's way of doing the subject's work, such as CUDA C++ by hand. */
    RIVAL
}
