package dev.tilewright.reference.state;

/** A copy into or out of shared memory that was checked when it was started and is carried out later. */
@FunctionalInterface
public interface Transfer {

    /** @param address where its bytes lie in the shared memory */
    void carryOut(SharedMemory shared, int address);
}
