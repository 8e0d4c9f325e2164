package dev.tilewright.builder;

/** Which thread starts the copies of tiles by the copy engine. */
public enum Roles {
    /** One of the threads that work on a tile also starts the copies; all meet in every turn. */
    TOGETHER,
    /**
     * The last warp of the block starts copies and does nothing else; the others work, warp by warp, and tell it
     * through barriers in shared memory what they are done with. Nothing meets, and no copy waits for work that comes
     * before it.
     */
    SPECIALISED
}
