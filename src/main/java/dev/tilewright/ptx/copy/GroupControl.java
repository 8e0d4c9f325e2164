package dev.tilewright.ptx.copy;

/** Instructions that close, and wait for, the groups of a thread's asynchronous copies. */
public sealed interface GroupControl extends CopyInstruction permits GroupCommit, GroupWait {

    /** Whose groups they are; a thread has both kinds beside each other. */
    CopyGroup group();
}
