package dev.tilewright.ptx.copy;

/** The two kinds of groups that a thread gathers asynchronous copies in. */
public enum CopyGroup {
    /** Those of cp.async. */
    CP_ASYNC,
    /** Those of bulk stores and reductions to global memory. */
    BULK
}
