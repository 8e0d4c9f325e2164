package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** Which barrier an operation means: an array of them and an index into it. @param first number of the array's first */
record BarrierPlace(String name, int first, int count, IndexCode index) {

    /** The barrier's number among all barriers of the block. */
    int number(ThreadState thread) {
        long i = index.value(thread);
        if (i < 0 || i >= count) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "barrier " + name + "[" + i + "] does not exist: the array has " + count);
        }
        return first + (int) i;
    }

    /** The barrier, which must be initialised. */
    Mbarrier barrier(ThreadState thread) {
        Mbarrier barrier = thread.block.barrier(number(thread));
        barrier.requireInitialised();
        return barrier;
    }
}
