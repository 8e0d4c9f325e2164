package dev.tilewright.builder;

/** How L2 treats the lines that the copy engine reads and writes. */
public enum CachePriority {
    /** What the device does without advice. */
    NORMAL,
    /**
     * Lines that are the first to give way, so that they leave in L2 what other work finds there again. The copy
     * itself is 2 to 5 % slower with it on an H200, where nothing of its own is in L2 (docs/performance.md).
     */
    EVICT_FIRST
}
