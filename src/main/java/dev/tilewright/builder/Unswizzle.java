package dev.tilewright.builder;

/** Who turns a swizzled tile back. */
public enum Unswizzle {
    /** The tensor store, which knows the same swizzle. */
    STORE,
    /** The threads: they compute where each chunk lies, and write the result by ordinary stores. */
    STEP
}
