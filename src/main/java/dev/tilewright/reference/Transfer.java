package dev.tilewright.reference;

/** A copy into or out of shared memory that was checked when it was started and is carried out later. */
@FunctionalInterface
interface Transfer {

    /** @param address where its bytes lie in the shared memory */
    void carryOut(SharedMemory shared, int address);
}
