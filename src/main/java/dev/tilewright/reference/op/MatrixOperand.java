package dev.tilewright.reference.op;

import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.ThreadState;

/** A matrix that a tensor-core instruction takes, in registers or in shared memory. */
public sealed interface MatrixOperand permits RegisterMatrix, SharedMatrix {

    /**
     * Its elements, a word each, with other bits above them: one row after the other, of B one column.
     *
     * @param threads of the warp or warpgroup
     * @param access by which the first thread reads what is in shared memory
     */
    long[] elements(ThreadState[] threads, OpAccess access);

    /**
     * Of each element the read of bytes that nothing has written from which it comes; null where all are defined.
     *
     * @param step that reads now
     */
    UnwrittenRead[] origins(ThreadState[] threads, int step);
}
