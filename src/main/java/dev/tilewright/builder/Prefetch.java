package dev.tilewright.builder;

/** What L2 fetches of an array before the copies that need it are started. */
public enum Prefetch {
    /** Nothing. */
    NONE,
    /** The tiles that a block begins with. */
    FIRST_TILES
}
