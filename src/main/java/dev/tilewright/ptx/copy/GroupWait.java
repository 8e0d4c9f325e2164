package dev.tilewright.ptx.copy;

/** Waits for groups that the thread has closed; {@code effects().waitsFor()} says what has completed then. */
public sealed interface GroupWait extends GroupControl permits BulkWaitGroup, CpAsyncWaitAll, CpAsyncWaitGroup { }
