package dev.tilewright.reference;

/** Which barrier an operation means. */
interface BarrierRef {

    /** The barrier, whether it is initialised or not. */
    Mbarrier any(ThreadState thread);
}
