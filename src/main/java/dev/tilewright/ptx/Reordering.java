package dev.tilewright.ptx;

/** How far a compiler may reorder an instruction among others. */
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
