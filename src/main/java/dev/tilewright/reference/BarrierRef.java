package dev.tilewright.reference;

/** Which barrier an operation means. */
interface BarrierRef {

    /** The barrier, whether it is initialised or not. */
    Mbarrier any(ThreadState thread);

    /** The barrier, which must be initialised. */
    default Mbarrier barrier(ThreadState thread) {
        Mbarrier barrier = any(thread);
        barrier.requireInitialised();
        return barrier;
    }
}
