package dev.tilewright.ptx.copy;

/** The two kinds of groups that a thread gathers asynchronous copies in. */
public enum CopyGroup {
    /** The groups of cp.async. */
    CP_ASYNC,
    /** The groups of bulk stores and reductions to global memory. */
    BULK
}
