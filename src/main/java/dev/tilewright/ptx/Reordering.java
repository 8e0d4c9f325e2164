package dev.tilewright.ptx;

/** What a compiler may do with an instruction that stands between others. */
public enum Reordering {
    /** No reordering: no access to memory may be moved past it. */
    NONE,
    /**
     * Accesses to memory may be moved past it: it neither makes nor orders any. It stays in its place in the control
     * flow.
     */
    MEMORY,
    /**
     * Anything: its results follow from its operands, so it may be moved, merged with its like, or dropped when unused.
     */
    ALL
}
