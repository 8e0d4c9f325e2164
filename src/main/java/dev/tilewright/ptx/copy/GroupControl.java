package dev.tilewright.ptx.copy;

/** What closes and waits for the groups that a thread's asynchronous copies are gathered in. */
public sealed interface GroupControl extends CopyInstruction permits GroupCommit, GroupWait {

    /** Whose groups they are; a thread has both kinds beside each other. */
    CopyGroup group();
}
