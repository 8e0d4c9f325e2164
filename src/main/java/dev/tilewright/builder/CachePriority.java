package dev.tilewright.builder;

/** What becomes in L2 of the lines that the copy engine reads and writes. */
public enum CachePriority {
    /** What the device does without advice. */
    NORMAL,
    /** They are the first to give way: each is used once, so that none keeps out another. */
    EVICT_FIRST
}
