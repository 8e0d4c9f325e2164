package dev.tilewright.ptx.copy;

/** Closes the thread's open group, so that later copies are gathered in another. */
public sealed interface GroupCommit extends GroupControl permits BulkCommitGroup, CpAsyncCommitGroup { }
