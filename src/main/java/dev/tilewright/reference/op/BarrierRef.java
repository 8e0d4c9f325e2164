package dev.tilewright.reference.op;

import dev.tilewright.reference.state.Mbarrier;
import dev.tilewright.reference.state.ThreadState;

/** Which barrier an operation means. */
public interface BarrierRef {

    /** The barrier, whether it is initialised or not. */
    Mbarrier any(ThreadState thread);
}
